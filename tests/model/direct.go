package model

import (
	"fmt"
	"slices"
	"strings"

	"automatic-rostering.example/rostering/plugin/core/direct"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/message"

	"github.com/tidwall/gjson"
)

// trap is what a host panics with when a real one ends the call.
type trap struct{}

// direct makes a direct call.
func (w *world) direct(m *member) {
	export := one(w, input.GetToken, input.ListJobs, input.SendRequest)
	f, more := begun{client: m.client}, ""
	switch {
	case export == input.SendRequest:
		more = `,"path":"/x"`
	case export == input.ListJobs && w.oneIn(4):
		more = `,"customer_id":"another"`
	case export == input.GetToken:
		more = w.demand(m, &f)
	}
	w.now = w.clock(m)
	k, has := &m.known, m.has(w.now) && !f.force && f.refused == ""
	var done []exchange
	m.Respond = func(request, body string) *message.Response {
		e := exchange{sent: request, toEndpoint: strings.HasPrefix(body, "grant_type")}
		text := "service's"
		if e.toEndpoint {
			e.result, _ = w.endpoint()
			text = tokenResponse(&e.result)
			if w.now < k.quiet {
				w.fail("a Retry-After is never shortened", "%d seconds are left in a direct call", k.quiet-w.now)
			}
		} else {
			e.status = one[int64](w, 200, 200, 401, 401, 401, 503)
		}
		e.traps = w.oneIn(8)
		switch {
		case e.traps:
			e.status, e.token = 0, ""
		case e.token != "":
			k.quiet, k.told = 0, 0
		}
		if e.toEndpoint && e.token == "" {
			k.quiet = max(k.quiet, w.now+1)
			if !e.traps {
				k.told = max(k.told, w.now+min(e.retryAfter, hour))
				k.quiet = max(k.quiet, k.told)
			}
		}
		if done = append(done, e); e.traps {
			panic(trap{})
		}
		status := int(e.status)
		if e.failed {
			status = 0
		}
		r := response(status, text)
		if e.retryAfter > 0 {
			r.RetryAfter = fmt.Sprint(e.retryAfter)
		}
		return r
	}
	in := fmt.Sprintf(`{"now":%d%s}`, w.now, more)
	r, trapped := call(m, export, in)
	if f.refused != "" || slices.ContainsFunc(done, func(e exchange) bool { return e.status == 401 || e.token != "" }) {
		*k = known{quiet: k.quiet, told: k.told, lookedAt: k.lookedAt, refusedAt: max(k.refusedAt, w.now)}
	}
	k.worked = true // it may have
	w.checkDirect(export == input.GetToken, has, done, r, trapped)
	if trapped {
		w.say("%d at %+d: direct %d %s %v → trap", m.number, w.now-start, export, in, done)
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
	w.took(&running{at: m, checks: checks{cleared: m.clears}}, fmt.Sprintf("direct %d %s %v", export, in, done), r, "")
}

func response(status int, body string) *message.Response {
	load := func(most int) []byte { return []byte(body[:min(most, len(body))]) }
	return &message.Response{Status: status, Size: len(body), Load: load}
}

// checkDirect compares what a direct call returned with what it sent.
func (w *world) checkDirect(token, has bool, done []exchange, r host.Result, trapped bool) {
	var last exchange
	calls, refused := 0, ""
	for _, e := range done {
		if last = e; e.toEndpoint {
			refused = "" // it may issue the same one again
			continue
		}
		_, bearer, _ := strings.Cut(e.sent, "Bearer ")
		bearer, _, _ = strings.Cut(bearer, `"`)
		if calls++; bearer == refused || bearer == "" {
			w.fail("a direct call does not repeat a refused token", "%v", done)
		}
		refused = bearer
	}
	code := ""
	if r.Kind == host.Error {
		code = gjson.GetBytes(r.Text, "code").Str
	}
	ok := trapped == last.traps
	switch {
	case trapped:
	case last.token != "":
		ok = ok && token && code == ""
	case last.toEndpoint, len(done) == 0:
		ok = ok && (token || code != "")
	case last.status == 200:
		ok = ok && r.Kind == host.Response
	case last.status == 401: // the third one, or in a backoff
		ok = ok && code != "" && code != "service_error"
	default:
		ok = ok && code == "service_error"
	}
	if has && len(done) > 0 && done[0].toEndpoint {
		w.fail("a token is never lost", "%v", done)
	}
	if !ok || calls > 3 {
		w.fail("a direct call ends with its last response", "%v: %s, a trap: %v", done, r.Text, trapped)
	}
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

// exchange is a request that a direct call sent, and its response.
type exchange struct {
	result
	toEndpoint, traps bool
	sent              string
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
