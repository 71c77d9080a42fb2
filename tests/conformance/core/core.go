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

	"automatic-rostering/plugin/core/exports"
	"automatic-rostering/plugin/core/flow"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/model/memory"
	"automatic-rostering/plugin/core/service"
	"automatic-rostering/tests/conformance/protocol"
)

// Host takes the requests of the protocol, as an adapter does.
type Host struct {
	client http.Client

	mutex    sync.Mutex
	instance *instance
}

// New returns a host whose direct calls send their requests through a transport.
func New(transport http.RoundTripper) *Host {
	return &Host{client: http.Client{
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
		h.instance = newInstance(r.Config, &h.client)
		return protocol.Response{}, nil
	case "call":
		return h.instance.call(r.Export, r.Input), nil
	}
	return protocol.Response{}, fmt.Errorf("no operation %q", r.Op)
}

type instance struct {
	*memory.Host
	client *http.Client
	logs   []protocol.Log
	body   []byte // of the last response
}

func newInstance(config map[string]string, client *http.Client) *instance {
	i := &instance{Host: memory.New(config), client: client}
	i.Respond = i.send
	i.Logged = func(level host.Level, text string) {
		names := map[host.Level]string{host.Debug: "debug", host.Warn: "warn"}
		i.logs = append(i.logs, protocol.Log{Level: names[level], Line: text})
	}
	return i
}

// silent has the exports that send no request, and direct those that do.
var (
	silent = map[string]func(host.Host, []byte) host.Result{
		"begin": flow.Begin, "resume": flow.Resume, "set_token": flow.SetToken, "clear_token": flow.ClearToken,
		"request": service.Request, "explain": service.Explain, "check": exports.Check, "version": exports.Version,
	}
	direct = map[string]input.Export{"get_token": input.GetToken, "list_jobs": input.ListJobs, "send_request": input.SendRequest}
)

// call calls an export. A request that fails is a trap, as on most hosts, and so is a panic.
func (i *instance) call(export string, in []byte) (a protocol.Response) {
	i.logs = []protocol.Log{}
	defer func() {
		if failure := recover(); failure != nil {
			a = protocol.Response{Trap: fmt.Sprint(failure)}
		}
		a.Logs = i.logs
	}()
	if export, ok := silent[export]; ok {
		return i.end(export(i, in))
	}
	name, ok := direct[export]
	if !ok {
		return protocol.Response{Trap: "no export " + export}
	}
	return i.end(exports.Direct(i, name, in))
}

// send sends the request that the shell would pass to http_request, or panics.
func (i *instance) send(request, body string) *message.Response {
	var m struct {
		Method, URL string
		Headers     map[string]string
	}
	response, err := (*http.Response)(nil), json.Unmarshal([]byte(request), &m)
	if err == nil {
		response, err = i.exchange(m.Method, m.URL, m.Headers, body)
	}
	if err == nil {
		defer response.Body.Close()
		i.body, err = io.ReadAll(response.Body)
	}
	if err != nil {
		panic(err)
	}
	got := i.body
	return &message.Response{
		Status: response.StatusCode,
		Size:   len(got),
		Load:   func(most int) []byte { return got[:min(most, len(got))] },
	}
}

func (i *instance) exchange(method, url string, headers map[string]string, body string) (*http.Response, error) {
	r, err := http.NewRequest(method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	return i.client.Do(r)
}

// end reports the result of a call.
func (i *instance) end(r host.Result) protocol.Response {
	switch r.Kind {
	case host.Output:
		return protocol.Response{Output: r.Text}
	case host.Held:
		return protocol.Response{Output: i.Held}
	case host.Response:
		return protocol.Response{Output: i.body}
	}
	return protocol.Response{Error: string(r.Text)}
}
