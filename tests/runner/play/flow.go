package play

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
	"automatic-rostering/tests/runner/world"
)

// client sends the requests of flows.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// part is a flow that has a name.
type part struct {
	flow   json.RawMessage
	result map[string]any // of its last step
}

// beginInput is the input of begin.
func (c *course) beginInput(call *rule.Step) map[string]any {
	in := call.FullInput()
	if c.accepts != nil {
		in["accepts"] = c.accepts
	}
	return in
}

// toEnd begins a flow, and resumes it to its end. It sends the requests, takes what the store gives from
// the script, and does not wait. Each step must have the token that the script says, if it is exact.
func (c *course) toEnd(call *rule.Step, in map[string]any, exact bool) (s world.Step, a protocol.Response) {
	var logs []protocol.Log
	for export := "begin"; ; export = "resume" {
		s, a = c.next(call, export, in)
		a.Logs = slices.Concat(logs, a.Logs)
		logs = a.Logs
		if failed(a) || s.Step == "done" {
			return s, a
		}
		if exact {
			c.Script.Has(s)
		}
		in = c.carryOut(s)
		in["flow"] = s.Flow
	}
}

// next calls begin or resume. TestSchema holds the steps to the contract.
func (c *course) next(call *rule.Step, export string, in map[string]any) (s world.Step, a protocol.Response) {
	if call.Now != nil {
		in["now"] = call.Now
	}
	if a = c.export(export, in); failed(a) {
		return s, a
	}
	if err := json.Unmarshal(a.Output, &s); err != nil || c.shows(string(s.Flow)) {
		a = broken(fmt.Errorf("the step %.300s is not JSON, or its flow shows a secret: %v", a.Output, err))
	}
	return s, a
}

// carryOut returns the result of a step, as resume takes it.
func (c *course) carryOut(s world.Step) map[string]any {
	if s.Step == "request" {
		return send(s.Request, s.Limit)
	}
	return c.Script.Step(s)
}

// send sends a request and returns its response with the first bytes of its body, as resume and explain
// take it.
func send(r *world.HTTP, limit int64) map[string]any {
	request, err := http.NewRequest(r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return map[string]any{"failed": err.Error()}
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return map[string]any{"failed": err.Error()}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit))
	if err != nil {
		return map[string]any{"failed": err.Error()}
	}
	return map[string]any{"status": response.StatusCode, "headers": response.Header, "body": string(body)}
}

// part begins or resumes a flow that has a name, carries its steps out, and returns what is wrong. With an outcome, the flow
// then ends so.
func (c *course) part(call *rule.Step) error {
	of, export, in := c.parts[call.Resume], "begin", c.beginInput(call)
	if call.Resume != "" {
		export, in = "resume", maps.Clone(of.result)
		if call.Input != nil {
			in = call.FullInput()
		}
		in["flow"] = of.flow
	}
	for _, e := range call.Exchanges {
		s, a := c.next(call, export, in)
		if failed(a) || s.Step == "done" {
			return fmt.Errorf("there is no further step: %s%s%s", a.Error, a.Text, a.Output)
		}
		c.Script.Expect(e)
		c.Script.Has(s)
		of = part{s.Flow, c.carryOut(s)}
		if err := errors.Join(c.also(call, a), c.Script.Check()); err != nil {
			return err
		}
		export, in = "resume", maps.Clone(of.result)
		in["flow"] = of.flow
	}
	c.parts[cmp.Or(call.Begin, call.As, call.Resume)] = of
	if call.Exchanges != nil && call.Token == nil && call.Error == nil {
		return nil
	}
	_, a := c.next(call, export, in)
	return c.judge(call, a)
}
