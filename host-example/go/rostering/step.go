package rostering

import (
	"encoding/json"
	"fmt"
)

// maxTokenAnswer is a length in bytes that the plugin does not accept.
const maxTokenAnswer = 256<<10 + 1

// step is what begin and resume give: a request to send, or the end.
type step struct {
	Step    string
	Flow    json.RawMessage
	Request *request
	Output  json.RawMessage // of get_token
}

// next asks the plugin for the next step. Before the first request is sent, that can
// be done again: begin leaves nothing behind in the plugin.
func (f *flight) next() (s step, err error) {
	export, input := begin, f.beginInput()
	if f.flow != nil {
		export, input = resume, f.resumeInput()
	}
	object, err := json.Marshal(input)
	if err != nil {
		return s, fmt.Errorf("rostering: %s: %w", f.call, err)
	}
	output, err := f.driver.plugin.Call(export, object)
	if err != nil {
		return s, f.complete(err)
	}
	if err := json.Unmarshal(output, &s); err != nil {
		return s, fmt.Errorf("rostering: %s: the plugin gave no step: %w", export, err)
	}
	if s.Step != "done" && (s.Step != "request" || s.Request == nil) {
		return s, fmt.Errorf("rostering: %s: the plugin gave an unknown step", export)
	}
	return s, nil
}

func (f *flight) beginInput() map[string]any {
	return map[string]any{"call": f.call, "input": f.driver.withNow(f.input)}
}

func (f *flight) resumeInput() map[string]any {
	input := map[string]any{"flow": f.flow}
	if _, own := f.input["now"]; !own {
		input = f.driver.withNow(input)
	}
	if f.last.err != nil {
		input["failed"] = f.last.reason()
		return input
	}
	input["status"], input["headers"] = f.last.status, f.last.header
	if f.asking { // the service's body is of no interest to the plugin
		input["body"] = string(f.last.body[:min(len(f.last.body), maxTokenAnswer)])
	}
	return input
}
