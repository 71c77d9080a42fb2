package model_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/memory"
	"automatic-rostering/plugin/core/message"
)

// direct is an instance whose calls are made directly: without a flow, the model has no say in them. They are
// held to rules on each request and on what get_token returns.
type direct struct {
	*memory.Host
	*rand.Rand
	t            *testing.T
	seed         uint64
	client       string // that of the config
	clock        bool   // the host has one
	room, faults int    // faults are a percentage of the responses
	time, offset int64
	refuses      bool
	stale        bool              // the config was changed, and clear_token not called
	tokens       []string          // all that were issued
	owners       map[string]string // the client of each
	revoked      map[string]bool
	expiry       map[string]int64 // the latest that the plugin can know of each, if the time was known
	moved        bool             // the clock was
	asks, sends  int              // requests of the call in progress
	timed        bool             // its time is known
}

// lostCall is what a host panics with when a real one would end the call.
type lostCall struct{}

// TestDirect holds direct calls in random sequences to the rules on requests.
func TestDirect(t *testing.T) {
	kinds := map[string]int{}
	for s, calls := *seed, 0; calls < 5_000; s++ {
		w := newDirect(t, s)
		for range 60 {
			if export, in := w.act(); export != "" {
				calls++
				kinds[w.make(export, in)]++
			}
		}
	}
	for _, kind := range []string{
		"lost", "list_jobs", "get_token", "send_request", "set_token", "clear_token", "invalid_input", "config_missing",
		"config_invalid", "clock_unusable", "token_endpoint_rejected", "token_endpoint_unavailable", "token_response_invalid",
		"token_mismatch", "service_unauthorized", "service_error", "network_error",
	} {
		if kinds[kind] < 20 {
			t.Errorf("only %d calls end with %s", kinds[kind], kind)
		}
	}
}

func newDirect(t *testing.T, seed uint64) *direct {
	r := rand.New(rand.NewPCG(seed, 0))
	w := &direct{Host: memory.New(nil), Rand: r, t: t, seed: seed, clock: r.IntN(2) == 0, faults: []int{0, 10, 40}[r.IntN(3)],
		owners: map[string]string{}, revoked: map[string]bool{}, expiry: map[string]int64{}}
	if r.IntN(8) == 0 {
		w.room = 400 + r.IntN(6000)
	}
	w.Keeps = func(name string, value []byte) bool {
		if w.room > 0 && len(value) > 0 && w.SizeWith(name, value) > w.room || w.IntN(25) == 0 { // a host can end a call at any write
			panic(lostCall{})
		}
		return true
	}
	w.configure("client-a")
	w.stale = false
	return w
}

func (w *direct) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d: "+format, append([]any{w.seed}, args...)...)
}

func (w *direct) now() int64 { return 1_800_000_000 + w.time + w.offset }

func (w *direct) configure(client string) {
	w.client, w.stale = client, true
	w.Settings = map[string]string{
		"environment": "stage", "auth_url": "https://auth.example/" + client, "base_url": "https://" + client + ".example",
		"client_id": client, "client_secret": "SECRET pass+w\u00f6rt%&\"of=" + client, "customer_id": "customer", "user_id": "user",
	}
	switch w.IntN(8) {
	case 0:
		w.Settings["refresh_margin"] = "600"
	case 1:
		w.Settings["client_id"] = ""
	case 2:
		w.Settings["auth_url"] = "http://auth.example"
	}
}

// pick returns one of some values.
func pick[T any](w *direct, of ...T) T { return of[w.IntN(len(of))] }

// act makes up an action. It returns a call, or none if only the surroundings change.
func (w *direct) act() (export, in string) {
	if w.IntN(3) == 0 {
		w.time += pick[int64](w, 1, 1, 1, 2, 3, 5, 31, 61, 700, 3545, 3600)
	}
	var members []string
	if w.IntN(10) > 0 && !(w.clock && w.IntN(2) == 0) {
		members = append(members, fmt.Sprintf(`"now":%d`, w.now()))
	}
	switch n := w.IntN(100); {
	case n < 40:
		if w.IntN(2) == 0 {
			members = append(members, pick(w, `"customer_id":"another"`, `"user_id":null`, `"customer_id":"third","user_id":"u"`, `"customer_id":""`))
		}
		return "list_jobs", object(members)
	case n < 58:
		switch w.IntN(8) {
		case 0, 1:
			members = append(members, `"force":true`)
		case 2, 3:
			members = append(members, fmt.Sprintf(`"refused":%q`, w.token()))
		}
		return "get_token", object(members)
	case n < 72:
		return "send_request", object(append(members, pick(w, `"path":"/a/b?c=d"`, `"path":"/../a"`,
			fmt.Sprintf(`"path":"/a","method":"PUT","body":%q`, strings.Repeat("b", w.IntN(20000))))))
	case n < 79:
		return "set_token", w.tokenToSet(members)
	case n < 82:
		w.stale = false
		return "clear_token", ""
	case n < 84:
		return pick(w, "list_jobs", "get_token", "send_request", "set_token"), pick(w, `[]`, `{"now":"1"}`, `{"unknown":1}`, `{`)
	case n < 91:
		w.configure(pick(w, "client-a", "client-b"))
		if w.IntN(3) > 0 {
			w.stale = false
			return "clear_token", ""
		}
	case n < 94:
		w.moved = true
		w.offset += pick[int64](w, 1, -1, -30, -100, -3600, 300, 3600, -100_000_000)
	case n < 97:
		for _, token := range w.tokens {
			w.revoked[token] = true
		}
	default:
		w.refuses = !w.refuses && w.IntN(2) == 0
	}
	return "", ""
}

func object(members []string) string {
	if len(members) == 0 {
		return ""
	}
	return "{" + strings.Join(members, ",") + "}"
}

// token is one that was issued, or was never.
func (w *direct) token() string {
	if len(w.tokens) == 0 || w.IntN(4) == 0 {
		return "TOKEN-none"
	}
	return w.tokens[len(w.tokens)-1-w.IntN(min(len(w.tokens), 4))]
}

func (w *direct) tokenToSet(members []string) string {
	token, client := w.token(), w.client
	owner, issued := w.owners[token]
	if issued {
		client = owner
	} else {
		token = w.issue(w.IntN(1200))
	}
	key := fmt.Sprintf("rostering:%s:%s:automatic-rostering-stage", url.QueryEscape("https://auth.example/"+client+"/connect/token"), client)
	expiresAt := w.now() + pick[int64](w, 3600, 3600, 100, 30, 1, 90000, -5)
	if timed := w.clock || len(members) > 0; !timed {
		delete(w.expiry, token)
	} else if known, found := w.expiry[token]; found || !issued {
		w.expiry[token] = max(known, expiresAt)
	}
	return object(append(members, fmt.Sprintf(`"access_token":%q,"cache_key":%q,"expires_at":%d`, token, key, expiresAt)))
}

// issue makes up a token of the config's client, with so many bytes more than it needs.
func (w *direct) issue(more int) string {
	token := fmt.Sprintf("TOKEN-%04d", len(w.tokens)+1) + strings.Repeat("p", more)
	w.tokens = append(w.tokens, token)
	w.owners[token] = w.client
	return token
}

// make makes a call, and returns the code of its error, the export if it succeeded, or "lost" if it ended in a trap.
func (w *direct) make(export, in string) (kind string) {
	w.asks, w.sends, w.Clock = 0, 0, 0
	if w.clock {
		w.Clock = w.now()
	}
	w.timed = w.clock || strings.Contains(in, `"now"`)
	defer func() {
		if r := recover(); r == (lostCall{}) {
			kind = "lost"
			w.stale = w.stale || export == "clear_token"
		} else if r != nil {
			panic(r)
		}
	}()
	switch export {
	case "set_token":
		return w.end(export, call.SetToken(w, []byte(in)))
	case "clear_token":
		return w.end(export, call.ClearToken(w, []byte(in)))
	}
	name, _ := input.ExportNamed(export)
	made := call.New(w, name)
	step := made.Begin([]byte(in))
	for step.Kind == call.Send || step.Kind == call.SendHeld {
		request, form := string(w.Held), ""
		if step.Kind == call.Send {
			request, form = string(step.Request.AppendJSON(nil)), step.Request.Body
		}
		s := w.check(in, request, form)
		status, body := w.respond(s)
		w.passTime()
		step = made.Resume(&message.Response{Status: status, Size: len(body), Load: func(most int) []byte {
			return slices.Clone(body[:min(most, len(body))])
		}})
	}
	return w.end(export, step)
}

// passTime lets time pass during a request. The clock may be lost until the next call.
func (w *direct) passTime() {
	switch w.IntN(16) {
	case 0:
		w.time += pick[int64](w, 1, 5, 31, 61, 3600)
	case 1:
		w.Clock = 0
		return
	}
	if w.clock {
		w.Clock = w.now()
	}
}

// end checks what a call returns: get_token a token that was issued, and its expiry.
func (w *direct) end(export string, step *call.Step) (kind string) {
	var e struct{ Code string }
	switch output := step.Output; step.Kind {
	case call.Give, call.GiveHeld, call.GiveResponse:
		if step.Kind == call.GiveHeld {
			output = w.Held
		}
		var got struct {
			Token     string `json:"access_token"`
			ExpiresAt int64  `json:"expires_at"`
		}
		if export != "get_token" {
			break
		}
		err := json.Unmarshal(output, &got)
		if owner := w.owners[got.Token]; err != nil || owner == "" || owner != w.client && !w.stale || got.ExpiresAt <= 0 {
			w.fail("get_token returns a token of %q that expires at %d, %v", owner, got.ExpiresAt, err)
		}
	default:
		if err := json.Unmarshal(output, &e); err != nil || strings.Contains(string(output), "SECRET") {
			w.fail("the error is %s, %v", output, err)
		}
	}
	return cmp.Or(e.Code, export)
}

// sent is a request, read as a host reads it.
type sent struct {
	URL     string
	Headers map[string]string
}

func (s *sent) token() string { return strings.TrimPrefix(s.Headers["Authorization"], "Bearer ") }
func (s *sent) asks() bool    { return strings.HasSuffix(s.URL, "/connect/token") }

// check holds a request to the rules: where it goes, as whom, and how often.
func (w *direct) check(in, request, form string) *sent {
	s := &sent{}
	if err := json.Unmarshal([]byte(request), s); err != nil {
		w.fail("%s: %v", request, err)
	}
	if s.asks() {
		w.asks++
	} else {
		w.sends++
	}
	if expiry := w.expiry[s.token()]; w.asks+w.sends == 1 && w.timed && !w.moved && expiry > 0 && expiry <= w.now() {
		w.fail("a token is sent that expired %d seconds ago", w.now()-expiry)
	}
	if w.asks > 1 || w.sends > 3 {
		w.fail("%d token requests, %d others", w.asks, w.sends)
	}
	if w.stale {
		return s // what was prepared before may still be used
	}
	if s.asks() {
		fields, err := url.ParseQuery(form)
		if err != nil || s.URL != w.Settings["auth_url"]+"/connect/token" || fields.Get("client_id") != w.client ||
			fields.Get("client_secret") != w.Settings["client_secret"] {
			w.fail("a token request to %s as %s, %v", s.URL, fields.Get("client_id"), err)
		}
		return s
	}
	ids := struct {
		Customer string  `json:"customer_id"`
		User     *string `json:"user_id"`
	}{w.Settings["customer_id"], new(string)}
	*ids.User = w.Settings["user_id"]
	if in != "" {
		if err := json.Unmarshal([]byte(in), &ids); err != nil {
			w.fail("%s is sent for %s", request, in)
		}
	}
	if user, found := s.Headers["USER_ID"]; found != (ids.User != nil) || found && user != *ids.User {
		w.fail("%s is sent for %s", request, in)
	}
	if w.owners[s.token()] != w.client || !strings.HasPrefix(s.URL, w.Settings["base_url"]+"/") || s.Headers["CUSTOMER_ID"] != ids.Customer {
		w.fail("%s with a token of %q", request, w.owners[s.token()])
	}
	return s
}

// respond makes up the response to a request, or ends the call. Some repeat the secret and the token.
func (w *direct) respond(s *sent) (status int, body []byte) {
	leak := fmt.Sprintf("%s %s %q", w.Settings["client_secret"], url.QueryEscape(w.Settings["client_secret"]), s.token())
	switch fault := w.IntN(100) < w.faults; {
	case fault && w.IntN(6) == 0:
		panic(lostCall{})
	case !fault && s.asks():
		token, lifetime := w.issue(pick(w, 0, 0, 900, 30_000)), pick[int64](w, 3600, 3600, 60, 90000)
		if w.timed {
			w.expiry[token] = w.now() + lifetime
		}
		return 200, fmt.Appendf(nil, `{"access_token":%q,"token_type":"Bearer","expires_in":%d}`, token, lifetime)
	case !fault && (w.refuses || w.revoked[s.token()]):
		return 401, []byte(leak)
	case !fault:
		return 200, bytes.Repeat([]byte("the jobs \xff\x00"), w.IntN(40))
	case s.asks():
		return pick(w, 0, 200, 200, 200, 201, 302, 400, 401, 408, 429, 503), []byte(pick(w, "", leak, `{"access_token":"cut off`,
			fmt.Sprintf(`{"error":"invalid_client","error_description":%q}`, leak), `{"access_token":"TOKEN-0","token_type":"Bearer","expires_in":0}`))
	default:
		return pick(w, 0, 200, 204, 302, 400, 401, 401, 403, 408, 429, 500, 503), []byte(pick(w, "", leak, strings.Repeat("x", 64<<10-w.IntN(80))+leak))
	}
}
