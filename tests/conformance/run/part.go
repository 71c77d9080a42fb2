package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
)

// flow is a call that has a name in the scenario.
type flow struct {
	flow     json.RawMessage
	step     *scenario.Exchange // the last one; its result is what comes next
	hostBody bool               // the plugin does not see the request's body
}

// part begins or resumes a call that has a name, and returns what is wrong.
func (c *course) part(call *scenario.Call) (wrong []string, err error) {
	of := c.flows[call.Resume]
	name, in := "resume", map[string]any{"flow": of.flow}
	switch {
	case call.Resume == "":
		name, in = "begin", c.begin(call.Call, call.FullInput())
		of.hostBody = call.Body != nil
	case call.Input != nil:
		for field, value := range call.Input {
			in[field] = value
		}
	default:
		maps.Copy(in, c.result(of.step))
	}
	if call.Resume != "" && call.Now != "" {
		in["now"] = call.Now
	}
	a, err := c.exportJSON(name, in)
	if err != nil {
		return nil, err
	}
	wrong = c.check.leaks(call, a)
	if call.Logs != nil && a.Logs != nil {
		wrong = append(wrong, c.logs(*call.Logs, a.Logs)...)
	}
	switch {
	case a.Trap != "":
		return append(wrong, "it trapped: "+a.Trap), nil
	case call.Error != nil:
		return append(wrong, c.error(call, a)...), nil
	case a.Error != "":
		return append(wrong, "it failed: "+a.Error), nil
	}
	return append(wrong, c.step(call, of, a)...), nil
}

// result is the result of a step, as resume takes it.
func (c *course) result(to *scenario.Exchange) map[string]any {
	switch {
	case to == nil:
		return nil
	case to.Wait != "":
		return map[string]any{}
	case to.Store != nil:
		return to.Store.Result(c.servers.Addresses)
	}
	_, reply := to.Request()
	if reply.Drop {
		return map[string]any{"failed": "there is no response"}
	}
	status := cmp.Or(reply.Status, 200)
	result := map[string]any{"status": status, "headers": reply.Headers}
	if reply.Headers == nil {
		delete(result, "headers")
	}
	if to.Token != nil || status/100 != 2 {
		result["body"] = string(reply.Bytes())
	}
	return result
}

// step compares the step that came with the one that must come, and keeps its flow.
func (c *course) step(call *scenario.Call, of flow, a protocol.Response) (wrong []string) {
	var got map[string]any
	if err := json.Unmarshal(a.Output, &got); err != nil {
		return []string{fmt.Sprintf("the output is not a JSON object: %.200q", a.Output)}
	}
	var s step
	if err := json.Unmarshal(a.Output, &s); err != nil {
		return []string{err.Error()}
	}
	if call.Until == nil {
		delete(got, "until")
	}
	for name, value := range validity(call) {
		if !reflect.DeepEqual(got[name], value) {
			wrong = append(wrong, fmt.Sprintf("%s is %v in the step, not %v", name, got[name], value))
		}
		delete(got, name)
	}
	if call.Token != nil {
		if s.Step != "done" || len(got) != 2 {
			wrong = append(wrong, fmt.Sprintf("the step is %.300s, not done", a.Output))
		}
		return append(wrong, c.token(call.Token, s.Output)...)
	}
	want := map[string]any{"step": "done"}
	if call.Step != nil {
		want = c.wanted(call.Step, of.hostBody)
		if got["flow"] == nil {
			wrong = append(wrong, "the step has no flow")
		}
		delete(got, "flow")
		c.flows[cmp.Or(call.As, call.Resume)] = flow{s.Flow, call.Step, of.hostBody}
		if c.shows(string(s.Flow)) {
			wrong = append(wrong, "the flow shows a secret")
		}
		if e := call.Step; e.Store != nil && s.Step == "store" {
			wrong = append(wrong, s.Operation.Differences(e.Store, c.servers.Addresses)...)
			got = map[string]any{"step": "store", "timeout": got["timeout"]}
		} else if e.Jobs != nil && e.Jobs.Last == nil {
			delete(got, "last")
		}
	}
	if !reflect.DeepEqual(got, want) {
		gotten, _ := json.Marshal(got)
		wanted, _ := json.Marshal(want)
		wrong = append(wrong, fmt.Sprintf("the step is %.1000s, not %.1000s", gotten, wanted))
	}
	return wrong
}

// validity is what the step must say of how long it holds.
func validity(call *scenario.Call) map[string]any {
	fields := map[string]any{"renew": nil}
	if call.Renew {
		fields["renew"] = true
	}
	if call.Until != nil {
		fields["until"] = float64(*call.Until)
		if *call.Until == 0 {
			fields["until"] = nil
		}
	}
	return fields
}

// wanted is the step that must come, but for its flow.
func (c *course) wanted(e *scenario.Exchange, hostBody bool) map[string]any {
	switch {
	case e.Store != nil:
		return map[string]any{"step": "store", "timeout": 1.0}
	case e.Wait != "":
		seconds, _ := e.Wait.Float64()
		return map[string]any{"step": "wait", "for": e.Purpose(), "seconds": seconds}
	}
	must, _ := e.Request()
	base := c.servers.Addresses.Auth
	if e.Jobs != nil {
		base = c.servers.Addresses.Service
	}
	headers := map[string]any{}
	for name, value := range must.Header {
		headers[name] = value
	}
	request := map[string]any{"method": must.Method, "url": base + must.Path, "headers": headers}
	switch {
	case e.Jobs != nil && hostBody:
		request["body"] = true
	case must.Body != "":
		request["body"] = must.Body
	}
	want := map[string]any{"step": "request", "for": "service", "request": request}
	if e.Token != nil {
		want["for"], want["timeout"], want["limit"] = "token", 20.0, 256<<10+1.0
	} else {
		if e.Jobs.Last != nil && *e.Jobs.Last {
			want["last"] = true
		}
	}
	return want
}
