package model

import (
	"fmt"
	"strings"

	"automatic-rostering/plugin/core/direct"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/service"

	"github.com/tidwall/gjson"
)

// trap is what a host panics with when a real one ends the call.
type trap struct{}

// direct makes a direct call. The responses are drawn as the core sends its requests, and then
// given to the model.
func (w *world) direct(m *member) {
	if w.clock(m) < m.facts.backoff.since {
		return // a warm call does not look at a backoff, so it does not see that the clock was set back
	}
	export := one(w, input.GetToken, input.ListJobs, input.SendRequest)
	f := progress{client: m.client}
	more := ""
	switch {
	case export == input.SendRequest:
		more = `,"path":"/x"`
	case export == input.ListJobs && w.oneIn(4):
		more = `,"customer_id":"another"`
	case export == input.GetToken:
		more = w.demand(m, &f)
	}
	now := w.clock(m)
	var done []exchange
	m.Respond = func(request, body string) *message.Response {
		e := exchange{toEndpoint: strings.HasPrefix(body, "grant_type")}
		status, text := 0, ""
		if e.toEndpoint {
			e.result, _ = w.endpoint()
			status, text = int(e.status), tokenResponse(&e.result)
			if now < m.quiet {
				w.fail("a Retry-After is never shortened", "%d seconds are left in a direct call", m.quiet-now)
			}
		} else {
			e.sent = request
			status, text = one(w, 200, 200, 401, 401, 401, 503), "service's"
			e.status = int64(status)
		}
		if e.status == 401 || e.token != "" {
			m.promise.token = ""
		}
		if e.traps = w.oneIn(8); e.failed {
			status = 0
		}
		if e.token != "" {
			m.quiet = 0
		} else if e.retryAfter > 0 && !e.traps {
			m.quiet = max(m.quiet, now+min(e.retryAfter, hour))
		}
		if done = append(done, e); e.traps {
			panic(trap{})
		}
		r := &message.Response{Status: status, Size: len(text), Load: func(most int) []byte { return []byte(text[:min(most, len(text))]) }}
		if e.retryAfter > 0 {
			r.RetryAfter = fmt.Sprint(e.retryAfter)
		}
		return r
	}
	in := fmt.Sprintf(`{"now":%d%s}`, now, more)
	b := &running{at: m, checks: checks{cleared: m.clears}}
	r, trapped := call(m, export, in)
	want := m.facts.direct(f, now, export == input.GetToken, done, w)
	if trapped != (want.kind == "trap") {
		w.fail("a trap ends the call", "%v, the model %v", trapped, want)
		return
	}
	if trapped {
		w.say("%d at %+d: direct %d %s %v → trap", m.number, now-start, export, in, done)
		return
	}
	switch r.Kind {
	case host.Response:
		r = host.Result{Kind: host.Output, Text: []byte(`{"step":"response"}`)}
	case host.Held:
		r = host.Result{Kind: host.Output, Text: []byte(`{"step":"done","token":` + string(m.Held) + `}`)}
	case host.Output:
		r.Text = []byte(`{"step":"done","token":` + string(r.Text) + `}`)
	}
	w.took(b, fmt.Sprintf("direct %d %s %v", export, in, done), r, want)
}

func call(m *member, export input.Export, in string) (r host.Result, trapped bool) {
	defer func() {
		if p := recover(); p != nil {
			if trapped = p == (trap{}); !trapped {
				panic(p)
			}
		}
	}()
	return direct.Call(m, export, []byte(in)), false
}

// explain explains a response that repeats what must not be in an error.
func (w *world) explain(m *member) {
	text, status := w.token(m), one(w, 0, 1, 99, 200, 304, 301, 400, 401, 403, 408, 429, 500, 503, 600, 999)
	body := one(w, "body", text, m.Settings["client_secret"], "a "+text+" and "+m.Settings["client_secret"])
	r := service.Explain(m, fmt.Appendf(nil, `{"status":%d,"headers":{"Retry-After":"7"},"body":%s,"tokens":[%s]}`, status, quote(body), quote(text)))
	want, kind := step{kind: "error", code: "service_error", status: int64(status)}, host.Output
	if status < 100 || status == 408 || status == 429 || status >= 500 {
		want.retryable, want.retry = true, 7
	}
	switch {
	case status == 0:
		want = step{kind: "error", code: "network_error", retryable: true}
	case status == 401:
		want = step{kind: "error", code: "service_unauthorized", status: 401, retryable: true}
	case status/100 == 2 || status == 304:
		kind, want = host.Error, step{kind: "error", code: "invalid_input", errorKey: "status"}
	}
	got, _, _ := readStep(host.Result{Kind: host.Error, Text: r.Text})
	if got != want || r.Kind != kind {
		w.fail("explain", "%d: %s instead of %+v", status, r.Text, want)
	}
	w.now = w.clock(m)
	w.check(&running{at: m, last: got, checks: checks{cleared: m.clears}}, r)
	r = service.Request(m, []byte(`{"path":"/x"}`))
	w.holdsNoSecret(string(r.Text))
	if v := gjson.ParseBytes(r.Text); v.Get("url").Str != "https://service.example/x" || v.Get("headers.Authorization").Exists() {
		w.fail("request", "%s", r.Text)
	}
}

// exchange is a request that a direct call sent, and its response.
type exchange struct {
	result
	toEndpoint, traps bool
	sent              string
}

// direct is the loop of direct calls.
func (i *facts) direct(f progress, now int64, token bool, done []exchange, w *world) step {
	for sends := 0; ; sends++ {
		s, next := i.begin(f, now)
		for s.kind == "request" {
			if len(done) == 0 || !done[0].toEndpoint {
				return step{kind: "no token request"}
			}
			e := done[0]
			done = done[1:]
			if e.traps {
				m := machine{i, &next, now}
				m.backOff(failure{code: "network_error"}, 0)
				return step{kind: "trap"}
			}
			s, next = i.resume(next, e.result, now)
		}
		if s.until = 0; token || s.kind == "error" {
			return s
		}
		if len(done) == 0 || done[0].toEndpoint || !strings.Contains(done[0].sent, "Bearer "+s.token+`"`) {
			return step{kind: "no request with " + s.token}
		}
		e := done[0]
		done = done[1:]
		switch {
		case e.traps:
			return step{kind: "trap"}
		case e.status == 200:
			return step{kind: "response"}
		case e.status != 401:
			return step{kind: "error", code: "service_error", status: e.status}
		}
		if sends == 2 {
			return step{kind: "error", code: "service_unauthorized", status: 401}
		}
		f = progress{client: f.client, refused: s.token}
	}
}

func (e exchange) String() string {
	switch {
	case e.traps:
		return "trap"
	case e.token != "":
		return fmt.Sprintf("%s for %d", e.token, e.expiresIn)
	case e.toEndpoint:
		return fmt.Sprintf("token request: %d retry after %d", e.status, e.retryAfter)
	}
	return fmt.Sprint("service: ", e.status)
}
