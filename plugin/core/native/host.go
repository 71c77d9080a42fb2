//go:build !tinygo

package main

import (
	"io"
	"net/http"
	"strings"
	"time"

	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/memory"
	"automatic-rostering/plugin/core/message"
)

// host is one instance and its HTTP client.
type host struct {
	*memory.Host
	client *http.Client
	logs   []line
}

func newHost(config map[string]string) *host {
	h := &host{Host: memory.New(config), client: &http.Client{
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	h.Logged = func(level call.Level, text string) {
		names := map[call.Level]string{call.Debug: "debug", call.Warn: "warn"}
		h.logs = append(h.logs, line{Level: names[level], Line: text})
	}
	return h
}

// one has the exports that send no request.
var one = map[string]func(call.Host, []byte) *call.Step{
	"begin": call.Begin, "resume": call.Resume, "set_token": call.SetToken, "clear_token": call.ClearToken,
	"check": call.Check, "version": call.Version,
}

func (h *host) call(export string, in []byte) (r result) {
	h.logs = nil
	defer func() { r.Logs = h.logs }()
	if export, ok := one[export]; ok {
		return h.end(export(h, in), nil)
	}
	name, ok := input.ExportNamed(export)
	if !ok {
		return result{Trap: "no export " + export}
	}
	c := call.New(h, name)
	step := c.Begin(in)
	var body []byte
	for step.Kind == call.Send || step.Kind == call.SendHeld {
		response, err := h.client.Do(h.request(step))
		if err != nil {
			return result{Trap: err.Error()} // as on most hosts: the call never sees it
		}
		body, err = io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return result{Trap: err.Error()}
		}
		step = c.Resume(&message.Response{
			Status: response.StatusCode,
			Size:   len(body),
			Load:   func(most int) []byte { return body[:min(most, len(body))] },
		})
	}
	return h.end(step, body)
}

// end reports the result of a call; body is that of the last response.
func (h *host) end(step *call.Step, body []byte) result {
	switch step.Kind {
	case call.Give:
		return result{Output: step.Output}
	case call.GiveHeld:
		return result{Output: h.Held}
	case call.GiveResponse:
		return result{Output: body}
	}
	return result{Error: string(step.Output)}
}

// request returns the request that the shell would pass to http_request.
func (h *host) request(step *call.Step) *http.Request {
	if step.Kind == call.SendHeld {
		return decode(h.Held, strings.NewReader(""))
	}
	return decode(step.Request.AppendJSON(nil), strings.NewReader(step.Request.Body))
}
