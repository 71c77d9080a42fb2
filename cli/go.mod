module automatic-rostering.example/rostering/cli

go 1.26

require (
	automatic-rostering.example/rostering v0.1.0
	github.com/alecthomas/kong v1.17.0
	github.com/rogpeppe/go-internal v1.16.0
)

require (
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.0 // indirect
	golang.org/x/oauth2 v0.31.0 // indirect
	golang.org/x/sys v0.38.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)

replace automatic-rostering.example/rostering => ..
