package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
	"automatic-rostering/tests/conformance/script"
)

// client sends the requests of steps for hosts without a library.
var client = &http.Client{
	Transport:     script.Transport,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// maxErrorBody is how much of an error's body is passed to resume.
const maxErrorBody = 4<<10 + 1

// step is the output of begin and resume.
type step struct {
	Step    string
	Flow    json.RawMessage
	For     string
	Last    bool
	Request struct {
		Method, URL string
		Headers     map[string]string
		Body        json.RawMessage // text, or true
	}
	Seconds json.Number
	script.Operation
	Output json.RawMessage
}

// begin is the input of begin for a call.
func (c *course) begin(export string, input []byte) map[string]any {
	begin := map[string]any{"call": export}
	if len(bytes.TrimSpace(input)) > 0 {
		begin["input"] = json.RawMessage(input)
	}
	if c.scenario.Accepts != nil {
		begin["accepts"] = c.scenario.Accepts
	}
	return begin
}

// drive makes a call by begin and resume. It sends the requests, takes what the store
// gives from the script, and does not wait.
func (c *course) drive(call *scenario.Call, input []byte) (protocol.Response, error) {
	name, in := "begin", c.begin(call.Call, input)
	var body []byte // of the last response
	var logs []protocol.Log
	for {
		a, err := c.exportJSON(name, in)
		logs = append(logs, a.Logs...)
		a.Logs = logs
		if err != nil || a.Error != "" || a.Trap != "" {
			return a, err
		}
		var s step
		if err := json.Unmarshal(a.Output, &s); err != nil {
			return a, err
		}
		if c.shows(string(s.Flow)) {
			return a, fmt.Errorf("the flow shows a secret: %s", s.Flow)
		}
		name, in = "resume", map[string]any{}
		switch s.Step {
		case "request":
			c.servers.Announce(s.For, s.Last)
			var done bool
			if in, body, done = s.send(call.Body); done {
				a.Output = body
				return a, nil
			}
		case "store":
			in = c.servers.Store(s.Operation)
		case "wait":
			c.servers.Wait(s.For, s.Seconds)
		default:
			a.Output = body
			if s.Output != nil {
				a.Output = s.Output
			}
			return a, nil
		}
		in["flow"] = s.Flow
		if call.Now != "" {
			in["now"] = call.Now
		}
	}
}

// send sends the step's request and returns the response as resume takes it; done reports
// whether it is the result of the call.
func (s *step) send(hostBody *string) (resume map[string]any, body []byte, done bool) {
	failed := func(err error) (map[string]any, []byte, bool) {
		return map[string]any{"failed": err.Error()}, nil, false
	}
	var text string
	if string(s.Request.Body) == "true" && hostBody != nil {
		text = *hostBody
	} else if s.Request.Body != nil {
		if err := json.Unmarshal(s.Request.Body, &text); err != nil {
			return failed(err)
		}
	}
	request, err := http.NewRequest(s.Request.Method, s.Request.URL, strings.NewReader(text))
	if err != nil {
		return failed(err)
	}
	for name, value := range s.Request.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return failed(err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil {
		return failed(err)
	}
	succeeded := response.StatusCode/100 == 2
	resume = map[string]any{"status": response.StatusCode, "headers": response.Header}
	switch {
	case s.For == "token":
		resume["body"] = string(body)
	case !succeeded:
		resume["body"] = string(body[:min(len(body), maxErrorBody)])
	}
	return resume, body, s.Last && succeeded
}
