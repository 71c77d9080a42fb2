package play

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// client sends the requests of flows.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// mostSteps is more than any flow has.
const mostSteps = 1000

// flow begins or resumes a flow. With an outcome, the flow then ends; otherwise, it is whole only after further calls.
func (c *course) flow(call *rule.Step) (a protocol.Response, whole bool) {
	export, in, most := "begin", call.FullInput(), mostSteps
	if call.Resume == "" && c.one.Accepts != nil {
		in["accepts"] = c.one.Accepts
	} else if call.Resume != "" {
		before := c.flows[call.Resume]
		if export = "resume"; call.Input.Fields == nil {
			in = before
		}
		in["flow"] = before["flow"]
	}
	whole = call.Exchanges == nil || call.Token != nil || call.Error != nil
	if !whole {
		most = len(call.Exchanges)
	}
	next, _, a := c.carryOut(call, export, in, most)
	if next != nil {
		c.flows[cmp.Or(call.Begin, call.As, call.Resume)] = next
	}
	return a, whole
}

// carryOut calls begin or resume, and carries so many steps of the flow out at most: it sends the requests, takes what the store
// gives from the script, and does not wait. Next is the input of resume after the last of these, without a time; the response has
// the log lines of all calls. Each step of a flow of the case must have the token that the script says.
func (c *course) carryOut(
	call *rule.Step, export string, in map[string]any, most int,
) (next map[string]any, s world.Step, a protocol.Response) {
	var logs []protocol.Log
	for range most {
		in = maps.Clone(in)
		if call.Now != nil {
			in["now"] = call.Now
		}
		a, s = c.export(export, in), world.Step{}
		logs = append(logs, a.Logs...)
		a.Logs = logs
		if failed(a) {
			break
		}
		if err := json.Unmarshal(a.Output, &s); err != nil || c.shows(string(s.Flow)) { // TestSchema holds it to the contract
			return nil, s, broken(fmt.Errorf("the step %.300s is not JSON, or its flow shows a secret: %v", a.Output, err))
		}
		if s.Step == "done" {
			break
		}
		if next = c.Script.Step(s, call.IsFlow()); s.Step == "request" {
			next = send(s.Request, s.Limit)
		}
		next["flow"] = s.Flow
		export, in = "resume", next
	}
	return next, s, a
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
