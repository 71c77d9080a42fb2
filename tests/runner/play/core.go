package play

import (
	"encoding/json"
	"fmt"

	"automatic-rostering.example/rostering/internal/memory"
	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/direct"
	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/message"
	"automatic-rostering.example/rostering/plugin/core/service"
	"automatic-rostering.example/rostering/plugin/core/version"
	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// Core is the core as a raw host, without WebAssembly and in the process of the tests: it takes the requests of the protocol,
// one at a time. A difference between it and the built plugin stems from the shell or the host.
type Core struct {
	// Exchange sends a request, in place of HTTP.
	Exchange func(*world.HTTP) map[string]any
	Instance *memory.Host
	logs     []protocol.Log
	body     []byte // of the last response
}

// Send takes a request.
func (h *Core) Send(r protocol.Request) (*protocol.Pending, error) {
	switch r.Op {
	case "open":
		h.Open(r.Config)
		return protocol.Responded(protocol.Response{}), nil
	case "call":
		return protocol.Responded(h.Call(r.Export, r.Input)), nil
	}
	return nil, fmt.Errorf("no operation %q", r.Op)
}

// Open makes a new instance.
func (h *Core) Open(config map[string]string) {
	h.logs = nil
	h.Instance = memory.New(config)
	h.Instance.Respond = h.send
	h.Instance.Logged = func(level host.Level, text string) {
		names := map[host.Level]string{host.Debug: "debug", host.Warn: "warn"}
		h.logs = append(h.logs, protocol.Log{Level: names[level], Line: text})
	}
}

// Logs are the lines of the log of the instance.
func (h *Core) Logs(string) []protocol.Log { return h.logs }

var exports = map[string]func(host.Host, []byte) host.Result{
	"begin": flow.Begin, "resume": flow.Resume, "set_token": flow.SetToken, "clear_token": flow.ClearToken, "status": flow.Status,
	"request": service.Request, "explain": service.Explain, "check": config.Check, "version": version.Version,
	"get_token": sending(input.GetToken), "list_jobs": sending(input.ListJobs), "send_request": sending(input.SendRequest),
}

func sending(export input.Export) func(host.Host, []byte) host.Result {
	return func(h host.Host, in []byte) host.Result { return direct.Call(h.(host.Sender), export, in) }
}

// Call calls an export. A request that fails is a trap, as on most hosts, and so is a panic.
func (h *Core) Call(export string, in []byte) (a protocol.Response) {
	defer func() {
		if failure := recover(); failure != nil {
			a = protocol.Response{Text: fmt.Sprint(failure)}
		}
	}()
	r := exports[export](h.Instance, in)
	switch r.Kind {
	case host.Output:
		return protocol.Response{Output: r.Text}
	case host.Held:
		return protocol.Response{Output: h.Instance.Held}
	case host.Response:
		return protocol.Response{Output: h.body}
	}
	return protocol.Response{Error: string(r.Text)}
}

// send sends the request that the shell would pass to http_request, or panics.
func (h *Core) send(request, body string) *message.Response {
	r := world.HTTP{Body: body}
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		panic(err)
	}
	exchange := h.Exchange
	if exchange == nil {
		exchange = func(r *world.HTTP) map[string]any { return send(r, anyBody) }
	}
	response := exchange(&r)
	if response["failed"] != nil {
		panic(response["failed"])
	}
	h.body = []byte(response["body"].(string))
	return &message.Response{
		Status: response["status"].(int),
		Size:   len(h.body),
		Load:   func(most int) []byte { return h.body[:min(most, len(h.body))] },
	}
}
