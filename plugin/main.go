//go:build tinygo.wasm

// The plugin: its exports, a few lines each. All rules are in internal/flow.
package main

import (
	"github.com/extism/go-pdk"

	"automatic-rostering/plugin/internal/flow"
)

func main() {}

//export get_token
func getToken() int32 {
	resetStack()
	return run(flow.GetToken)
}

//export list_jobs
func listJobs() int32 {
	resetStack()
	return run(flow.ListJobs)
}

// run takes a call from its input to its output: 0, or 1 with an error.
func run(call flow.Call) int32 {
	resetHeap()
	h := &host{}
	f := flow.New(h, call)
	step := f.Begin(h.input())
	for {
		switch step.Kind {
		case flow.Send:
			step = f.Resume(h.send(&step.Request))
		case flow.SendHeld:
			step = f.Resume(h.sendHeld())
		case flow.Give:
			h.output(h.block(step.Output))
			return 0
		case flow.GiveHeld:
			h.output(pdk.FindMemory(h.held))
			return 0
		case flow.GiveAnswer:
			h.output(h.answer)
			return 0
		default:
			h.fail(step.Output)
			return 1
		}
	}
}
