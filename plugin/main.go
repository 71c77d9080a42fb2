//go:build tinygo.wasm

// The plugin: its exports, a few lines each. All rules are in core/call.
package main

import (
	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/input"
)

func main() {}

//export get_token
func getToken() int32 {
	resetStack()
	return makeCall(input.GetToken)
}

//export list_jobs
func listJobs() int32 {
	resetStack()
	return makeCall(input.ListJobs)
}

//export send_request
func sendRequest() int32 {
	resetStack()
	return makeCall(input.SendRequest)
}

//export begin
func begin() int32 {
	resetStack()
	return callOnce(call.Begin)
}

//export resume
func resume() int32 {
	resetStack()
	return callOnce(call.Resume)
}

//export set_token
func setToken() int32 {
	resetStack()
	return callOnce(call.SetToken)
}

//export clear_token
func clearToken() int32 {
	resetStack()
	return callOnce(call.ClearToken)
}

//export check
func check() int32 {
	resetStack()
	return callOnce(call.Check)
}

//export version
func version() int32 {
	resetStack()
	return callOnce(call.Version)
}

// makeCall runs a call from its input to its output. It returns 0, or 1 with an error.
func makeCall(export input.Export) int32 {
	resetHeap()
	h := &host{}
	trace(h)
	c := call.New(h, export)
	step := c.Begin(h.input())
	for {
		switch step.Kind {
		case call.Send:
			step = c.Resume(h.send(step.Request))
		case call.SendHeld:
			step = c.Resume(h.sendHeld())
		default:
			return h.end(step)
		}
	}
}

// callOnce runs an export that sends no request.
func callOnce(export func(call.Host, []byte) *call.Step) int32 {
	resetHeap()
	h := &host{}
	trace(h)
	return h.end(export(h, h.input()))
}
