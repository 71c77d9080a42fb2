//go:build tinygo.wasm

// The plugin: its exports, a few lines each. All rules are in core.
package main

import (
	"automatic-rostering/plugin/core/exports"
	"automatic-rostering/plugin/core/flow"
	core "automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/service"
)

func main() {}

//export begin
func begin() int32 {
	resetStack()
	return run(flow.Begin)
}

//export resume
func resume() int32 {
	resetStack()
	return run(flow.Resume)
}

//export request
func request() int32 {
	resetStack()
	return run(service.Request)
}

//export explain
func explain() int32 {
	resetStack()
	return run(service.Explain)
}

//export get_token
func getToken() int32 {
	resetStack()
	return direct(input.GetToken)
}

//export list_jobs
func listJobs() int32 {
	resetStack()
	return direct(input.ListJobs)
}

//export send_request
func sendRequest() int32 {
	resetStack()
	return direct(input.SendRequest)
}

//export set_token
func setToken() int32 {
	resetStack()
	return run(flow.SetToken)
}

//export clear_token
func clearToken() int32 {
	resetStack()
	return run(flow.ClearToken)
}

//export check
func check() int32 {
	resetStack()
	return run(exports.Check)
}

//export version
func version() int32 {
	resetStack()
	return run(exports.Version)
}

// run runs an export that sends no request. It returns 0, or 1 with an error.
func run(export func(core.Host, []byte) core.Result) int32 {
	resetHeap()
	h := &host{}
	trace(h)
	return h.end(export(h, h.input()))
}

// direct runs an export that sends requests.
func direct(export input.Export) int32 {
	resetHeap()
	h := &host{}
	trace(h)
	return h.end(exports.Direct(h, export, h.input()))
}
