// Package core is the core as a host of the scenarios, without WebAssembly and in the process of
// the tests. A difference between it and the built plugin stems from the shell or the host.
package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"
	"time"

	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/memory"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/tests/conformance/protocol"
)

// Host takes the requests of the protocol, as an adapter does.
type Host struct {
	client http.Client

	mutex     sync.Mutex
	instances map[string]*instance
}

// New returns a host whose direct calls send their requests through a transport.
func New(transport http.RoundTripper) *Host {
	return &Host{instances: map[string]*instance{}, client: http.Client{
		Transport:     transport,
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Do takes a request.
func (h *Host) Do(r protocol.Request) (protocol.Response, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	switch r.Op {
	case "versions":
		return protocol.Response{Versions: runtime.Version()}, nil
	case "create":
		h.instances[r.Instance] = newInstance(r.Config, &h.client)
		return protocol.Response{}, nil
	case "close":
		delete(h.instances, r.Instance)
		return protocol.Response{}, nil
	case "call":
		if i, ok := h.instances[r.Instance]; ok {
			return i.call(r.Export, r.Input), nil
		}
	}
	return protocol.Response{}, fmt.Errorf("cannot %q on instance %q", r.Op, r.Instance)
}

type instance struct {
	*memory.Host
	client *http.Client
	logs   []protocol.Log
}

func newInstance(config map[string]string, client *http.Client) *instance {
	i := &instance{Host: memory.New(config), client: client}
	i.Logged = func(level call.Level, text string) {
		names := map[call.Level]string{call.Debug: "debug", call.Warn: "warn"}
		i.logs = append(i.logs, protocol.Log{Level: names[level], Line: text})
	}
	return i
}

// silent has the exports that send no request.
var silent = map[string]func(call.Host, []byte) *call.Step{
	"begin": call.Begin, "resume": call.Resume, "set_token": call.SetToken, "clear_token": call.ClearToken,
	"check": call.Check, "version": call.Version,
}

// call calls an export. A request that fails is a trap, as on most hosts, and so is a panic.
func (i *instance) call(export string, in []byte) (a protocol.Response) {
	i.logs = nil
	defer func() {
		if failure := recover(); failure != nil {
			a = protocol.Response{Trap: fmt.Sprint("panic: ", failure)}
		}
		a.Logs = i.logs
	}()
	if export, ok := silent[export]; ok {
		return i.end(export(i, in), nil)
	}
	name, ok := input.ExportNamed(export)
	if !ok {
		return protocol.Response{Trap: "no export " + export}
	}
	c := call.New(i, name)
	step := c.Begin(in)
	var body []byte
	for step.Kind == call.Send || step.Kind == call.SendHeld {
		response, err := i.send(step)
		if err != nil {
			return protocol.Response{Trap: err.Error()}
		}
		body, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			return protocol.Response{Trap: err.Error()}
		}
		step = c.Resume(&message.Response{
			Status: response.StatusCode,
			Size:   len(body),
			Load:   func(most int) []byte { return body[:min(most, len(body))] },
		})
	}
	return i.end(step, body)
}

// send sends the request that the shell would pass to http_request.
func (i *instance) send(step *call.Step) (*http.Response, error) {
	meta, body := i.Held, ""
	if step.Kind == call.Send {
		meta, body = step.Request.AppendJSON(nil), step.Request.Body
	}
	var m struct {
		Method, URL string
		Headers     map[string]string
	}
	if err := json.Unmarshal(meta, &m); err != nil {
		return nil, err
	}
	r, err := http.NewRequest(m.Method, m.URL, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	for name, value := range m.Headers {
		r.Header.Set(name, value)
	}
	return i.client.Do(r)
}

// end reports the result of a call; body is that of the last response.
func (i *instance) end(step *call.Step, body []byte) protocol.Response {
	switch step.Kind {
	case call.Give:
		return protocol.Response{Output: step.Output}
	case call.GiveHeld:
		return protocol.Response{Output: i.Held}
	case call.GiveResponse:
		return protocol.Response{Output: body}
	}
	return protocol.Response{Error: string(step.Output)}
}
