module automatic-rostering.example/rostering

go 1.26

require (
	github.com/tetratelabs/wazero v1.11.0
	golang.org/x/oauth2 v0.31.0
)

require golang.org/x/sys v0.38.0 // indirect
