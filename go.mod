module automatic-rostering.example/rostering

go 1.26

// What is built or installed there may have packages of Go.
ignore (
	build
	dist
	node_modules
	target
)

require (
	github.com/tidwall/gjson v1.20.0
	golang.org/x/oauth2 v0.31.0
)

require (
	github.com/extism/go-pdk v1.1.3
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.0 // indirect
)
