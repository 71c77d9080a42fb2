package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
	"automatic-rostering/tests/conformance/script"
)

// client sends the requests of flows.
var client = &http.Client{
	Transport:     script.Transport,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// request is what a step or the export request has the host send.
type request struct {
	Method, URL string
	Headers     map[string]string
	Body        string
}

// step is the output of begin and resume.
type step struct {
	Step           string
	Timeout, Limit int
	Request        *request
	script.Operation
	Seconds json.Number
	Flow    json.RawMessage
	Token   json.RawMessage
	Until   *int64
}

// limits are those of a step that sends a request.
const (
	requestTimeout, requestLimit = 20, 256<<10 + 1
	storeTimeout                 = 1
)

// part is a flow that has a name.
type part struct {
	flow   json.RawMessage
	result map[string]any // of its last step
}

// flow makes a whole flow.
func (c *course) flow(call *scenario.Call) (protocol.Response, error) {
	_, a, err := c.toEnd(call, c.begin(call), true)
	return a, err
}

// begin is the input of begin.
func (c *course) begin(call *scenario.Call) map[string]any {
	in := fields(call)
	if c.scenario.Accepts != nil {
		in["accepts"] = c.scenario.Accepts
	}
	return in
}

// fields are those of a call's input.
func fields(call *scenario.Call) map[string]any {
	in := map[string]any{}
	for field, value := range call.Input {
		in[field] = value
	}
	return in
}

// toEnd begins a flow, and resumes it to its end. It sends the requests, takes what the store gives from
// the script, and does not wait. Each step must have the token that the script says, if it is exact.
func (c *course) toEnd(call *scenario.Call, in map[string]any, exact bool) (s step, a protocol.Response, err error) {
	var logs []protocol.Log
	for export := "begin"; ; export = "resume" {
		s, a, err = c.next(call, export, in)
		if logs == nil {
			logs = a.Logs // nil from a host that shows none
		} else {
			logs = append(logs, a.Logs...)
		}
		a.Logs = logs
		if err != nil || a.Error+a.Trap != "" || s.Step == "done" {
			return s, a, err
		}
		if exact {
			c.servers.Has(accessToken(s.Token), s.Until)
		}
		flow := s.Flow
		if in, err = c.carryOut(s); err != nil {
			return s, a, err
		}
		in["flow"] = flow
	}
}

// next calls begin or resume.
func (c *course) next(call *scenario.Call, export string, in map[string]any) (s step, a protocol.Response, err error) {
	if call.Now != "" {
		in["now"] = call.Now
	}
	a, err = c.exportJSON(export, in)
	if err != nil || a.Error+a.Trap != "" {
		return s, a, err
	}
	decoder := json.NewDecoder(bytes.NewReader(a.Output))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return s, a, fmt.Errorf("the step %.300s: %w", a.Output, err)
	}
	switch {
	case c.shows(string(s.Flow)):
		return s, a, fmt.Errorf("the flow shows a secret: %s", s.Flow)
	case (s.Flow == nil) != (s.Step == "done"):
		return s, a, fmt.Errorf("every step but done has a flow: %.300s", a.Output)
	case (s.Token == nil) != (s.Until == nil):
		return s, a, fmt.Errorf("token and until come together: %.300s", a.Output)
	}
	return s, a, nil
}

func accessToken(object json.RawMessage) string {
	var token struct {
		AccessToken string `json:"access_token"`
	}
	_ = json.Unmarshal(object, &token)
	return token.AccessToken
}

// carryOut returns the result of a step, as resume takes it.
func (c *course) carryOut(s step) (map[string]any, error) {
	switch {
	case s.Step == "request" && s.Timeout == requestTimeout && s.Limit == requestLimit && s.Request != nil:
		return send(s.Request, requestLimit), nil
	case s.Step == "store" && s.Timeout == storeTimeout:
		return c.servers.Store(s.Operation), nil
	case s.Step == "wait":
		c.servers.Wait(s.Seconds)
		return map[string]any{}, nil
	}
	return nil, fmt.Errorf("what step is %+v?", s)
}

// send sends a request and returns its response with the first bytes of its body, as resume and explain
// take it.
func send(r *request, limit int64) map[string]any {
	failed := func(err error) map[string]any { return map[string]any{"failed": err.Error()} }
	request, err := http.NewRequest(r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return failed(err)
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return failed(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit))
	if err != nil {
		return failed(err)
	}
	return map[string]any{"status": response.StatusCode, "headers": response.Header, "body": string(body)}
}

// part begins or resumes a flow that has a name, carries its step out, and returns what is wrong.
func (c *course) part(call *scenario.Call) (wrong []string, err error) {
	of, export, in := c.parts[call.Resume], "begin", c.begin(call)
	if call.Resume != "" {
		export, in = "resume", maps.Clone(of.result)
		if call.Input != nil {
			in = fields(call)
		}
		in["flow"] = of.flow
	}
	s, a, err := c.next(call, export, in)
	if err != nil {
		return nil, err
	}
	if call.Step == nil {
		return c.check.call(call, a), nil
	}
	if wrong = c.check.also(call, a); a.Error+a.Trap != "" || s.Step == "done" {
		return append(wrong, fmt.Sprintf("there is no further step: %s%s%s", a.Error, a.Trap, a.Output)), nil
	}
	c.servers.Expect([]scenario.Exchange{*call.Step})
	c.servers.Has(accessToken(s.Token), s.Until)
	result, err := c.carryOut(s)
	c.parts[cmp.Or(call.Begin, call.As, call.Resume)] = part{s.Flow, result}
	return append(wrong, c.servers.Check()...), err
}
