package play

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

const (
	maxSends     = 3         // how often a call sends its request
	maxErrorBody = 4<<10 + 1 // how much of an error's body explain needs
	anyBody      = 64 << 20
)

// inFlows makes a direct call as the host of docs/contract.md does: by begin, resume, request and explain. Its
// log lines differ from those of the export, and are none of its response.
func (c *course) inFlows(call *rule.Step) protocol.Response {
	if call.Do == "get_token" {
		_, s, a := c.carryOut(call, "begin", call.FullInput(), mostSteps)
		a.Output = protocol.Bytes(s.Token)
		return a
	}
	in, r := call.FullInput(), &world.HTTP{}
	delete(in, "now")
	if json.Unmarshal(call.Input.Fields["body"], &r.Body) == nil {
		r.Body = rule.Repeated(r.Body)
		in["body"] = true
	}
	a := c.export("request", in)
	if failed(a) {
		return a
	}
	if err := json.Unmarshal(a.Output, r); err != nil {
		return broken(err)
	}
	var tokens []string
	var response map[string]any
	in = map[string]any{} // of begin
	for {
		_, s, a := c.carryOut(call, "begin", in, mostSteps)
		if failed(a) {
			return c.ended(a, response, tokens)
		}
		token := world.AccessToken(s.Token)
		tokens = append(tokens, token)
		r.Headers["Authorization"] = "Bearer " + token
		response = send(r, anyBody)
		status, _ := response["status"].(int)
		body, _ := response["body"].(string)
		switch {
		case status/100 == 2 || status == 304:
			return protocol.Response{Output: []byte(body)}
		case status != 401 || len(tokens) == maxSends: // a call that is over requests nothing
			return c.explain(response, tokens)
		}
		in = map[string]any{"refused": token}
	}
}

// explain ends a call with the error for its response, without the headers, which no direct call sees.
func (c *course) explain(response map[string]any, tokens []string) protocol.Response {
	in := maps.Clone(response)
	in["tokens"] = tokens
	delete(in, "headers")
	if body, ok := in["body"].(string); ok {
		in["body"] = body[:min(len(body), maxErrorBody)]
	}
	a := c.export("explain", in)
	if !failed(a) {
		a.Error, a.Output = string(a.Output), nil
	}
	return a
}

// ended ends a call with the error of its flow. After a 401, service_unauthorized has what explain says of it, too.
func (c *course) ended(a protocol.Response, response map[string]any, tokens []string) protocol.Response {
	if response == nil || !strings.Contains(a.Error, `"service_unauthorized"`) {
		return a
	}
	failure := map[string]any{}
	err := json.Unmarshal([]byte(c.explain(response, tokens).Error), &failure)
	err2 := json.Unmarshal([]byte(a.Error), &failure)
	b, err3 := json.Marshal(failure)
	if err := errors.Join(err, err2, err3); err != nil {
		return broken(err)
	}
	return protocol.Response{Error: string(b)}
}
