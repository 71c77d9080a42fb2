//go:build tinygo.wasm && !pure

// The plugin: its exports, a few lines each. All rules are in core.
package main

import (
	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/direct"
	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/service"
	"automatic-rostering.example/rostering/plugin/core/version"
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

//export status
func status() int32 {
	resetStack()
	return run(flow.Status)
}

//export get_token
func getToken() int32 {
	resetStack()
	return send(input.GetToken)
}

//export list_jobs
func listJobs() int32 {
	resetStack()
	return send(input.ListJobs)
}

//export send_request
func sendRequest() int32 {
	resetStack()
	return send(input.SendRequest)
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
	return run(config.Check)
}

//export version
func getVersion() int32 {
	resetStack()
	return run(version.Version)
}

// run runs an export that sends no request. It returns 0, or 1 with an error.
func run(export func(host.Host, []byte) host.Result) int32 {
	resetHeap()
	h := &extism{}
	return h.end(export(h, h.input()))
}

// send runs an export that sends requests.
func send(export input.Export) int32 {
	resetHeap()
	h := &extism{}
	return h.end(direct.Call(h, export, h.input()))
}
