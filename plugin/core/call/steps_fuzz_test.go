package call_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/call"
)

// FuzzSteps lets calls begin, continue, and be abandoned in any order on one instance, with
// hosts that accept more or less, a store that anybody writes to, a clock that jumps, and
// changes of client. Whatever happens: no call requests two tokens or retries twice, no
// request goes elsewhere or carries a token of another client, no secret is in an error, a
// flow or a log line, and with hosts that wait at most one token request is under way for
// each 30 seconds.
func FuzzSteps(f *testing.F) {
	f.Add("lR")
	f.Add("lltRRRR")
	f.Add("sstR>sRlRuR")
	f.Add("sR!RRRRRRRRRRRR")
	f.Add("sRRRRRRRR#lRRfRRRx-RRR")
	f.Add("ltRRRXlRRoR+R=R>lRRRR")
	f.Add("sjsRRRRRkRRRRRRRhRRRRRRR")
	f.Add("f0R##RR")
	f.Add("slsRcRRcRRRRRcRRRR")
	f.Fuzz(func(t *testing.T, script string) {
		if len(script) > 120 {
			return
		}
		w := newSteps(t)
		for _, c := range script {
			w.act(c)
		}
		// Whatever was left behind, calls work in the end.
		w.refuses, w.down, w.time = false, false, w.time+7200
		w.calls = nil
		w.begin("get_token", "", "wait")
		w.finish()
		for range 2 {
			w.begin("list_jobs", "", "store")
			w.finish()
		}
	})
}

// steps is an instance with its surroundings.
type steps struct {
	*host
	time    int64
	client  string            // that of the config, after the last clear_token
	owners  map[string]string // of each token, the client whose request got it
	forged  bool              // token responses may come from elsewhere, for this client
	expiry  map[string]int64
	revoked map[string]bool
	store   map[string]string
	refuses bool // the service refuses every token
	down    bool // the token endpoint fails
	calls   []*stepped
	asked   []int64 // when token requests were sent, by hosts that wait
}

// stepped is a call that is under way.
type stepped struct {
	name, input, accepts string
	step                 step
	asks, sends, steps   int
}

type step struct {
	Step, For, Op, Key, Value string
	Flow                      json.RawMessage
	Last                      bool
	Request                   struct {
		Method, URL string
		Headers     map[string]string
		Body        any // string, or true
	}
	Output struct {
		AccessToken string `json:"access_token"`
		ExpiresAt   int64  `json:"expires_at"`
	}
}

func newSteps(t *testing.T) *steps {
	w := &steps{host: newHost(t), time: noon, client: "client-a", owners: map[string]string{},
		expiry: map[string]int64{}, revoked: map[string]bool{}, store: map[string]string{}}
	w.Settings["client_id"] = w.client
	w.host.Clock = 0
	return w
}

var accepted = map[string]string{"": `[]`, "wait": `["wait"]`, "store": `["wait","store"]`}

// act takes one letter of a script.
func (w *steps) act(c rune) {
	switch c {
	case 'l':
		w.begin("list_jobs", "", "wait")
	case 'd':
		w.begin("list_jobs", `,"user_id":"another"`, "")
	case 's':
		w.begin("list_jobs", "", "store")
	case 'o':
		w.begin("send_request", `,"path":"/a?b","method":"POST","body":true`, "store")
	case 't':
		w.begin("get_token", "", "wait")
	case 'f':
		w.begin("get_token", `,"force":true`, "store")
	case 'u':
		for token := range w.owners {
			w.begin("get_token", fmt.Sprintf(`,"refused":%q`, token), "store")
			break
		}
	case 'R', 'S', 'T', 'U':
		w.proceed(int(c-'R'), "")
	case 'e':
		w.proceed(0, "fail")
	case '!':
		for token := range w.owners {
			w.revoked[token] = true
		}
	case 'x':
		w.refuses = !w.refuses
	case 'X':
		w.down = !w.down
	case 'j', 'k', 'h':
		w.poison(c)
	case '#':
		w.client = map[string]string{"client-a": "client-b", "client-b": "client-a"}[w.client]
		w.Settings["client_id"] = w.client
		w.Settings["base_url"] = "https://" + w.client + ".example"
		w.clear()
	case 'c':
		w.clear()
	case '+', '=', '>':
		w.time += map[rune]int64{'+': 1, '=': 60, '>': 3540}[c]
	case '-':
		w.time -= 3000
	}
}

// clear has the calls under way begin anew.
func (w *steps) clear() {
	call.ClearToken(w, nil)
	w.asked = nil
	for _, c := range w.calls {
		c.asks = 0
	}
}

// poison writes to the store what no instance writes.
func (w *steps) poison(c rune) {
	for key := range w.store {
		switch c {
		case 'j':
			w.store[key] = `{"state":"failed","code":"network_error","status":0,"until":9999999999,"failures":9}`
		case 'k':
			w.store[key] = `{"access_token":"stolen\r\nX: y","token_type":"Bearer","expires_at":1900000000,"cache_key":"` + key + `"}`
		case 'h':
			w.store[key] = `{"state":"asking"}`
		}
	}
}

func (w *steps) begin(name, input, accepts string) {
	if len(w.calls) > 8 {
		return
	}
	c := &stepped{name: name, input: input, accepts: accepts}
	w.calls = append(w.calls, c)
	w.take(c, call.Begin(w, fmt.Appendf(nil, `{"call":%q,"accepts":%s,"input":{"now":%d%s}}`, name, accepted[accepts], w.time, input)))
}

// finish continues the last call until it is done.
func (w *steps) finish() {
	for len(w.calls) > 0 {
		w.proceed(len(w.calls)-1, "")
	}
}

// proceed does what a call wants, and passes the result.
func (w *steps) proceed(n int, fail string) {
	if len(w.calls) == 0 {
		return
	}
	c := w.calls[n%len(w.calls)]
	result := w.result(c, fail)
	if result == "done" {
		w.end(c)
		return
	}
	w.take(c, call.Resume(w, fmt.Appendf(nil, `{"flow":%s,"now":%d%s}`, c.step.Flow, w.time, result)))
}

func (w *steps) end(c *stepped) {
	w.calls = slices.DeleteFunc(w.calls, func(other *stepped) bool { return other == c })
}

func (w *steps) result(c *stepped, fail string) string {
	s := &c.step
	switch {
	case s.Step == "wait":
		w.time++ // some waits take time, so that calls end
		return ""
	case fail != "":
		return `,"failed":"the reason is ` + secret + `"`
	case s.Step == "store" && s.Op == "get":
		value, found := w.store[s.Key]
		if !found {
			return `,"value":null`
		}
		b, _ := json.Marshal(value)
		return `,"value":` + string(b)
	case s.Step == "store":
		_, found := w.store[s.Key]
		if s.Op == "set" || !found {
			w.store[s.Key] = s.Value
		}
		if s.Op == "set" {
			return ""
		}
		return fmt.Sprintf(`,"added":%v`, !found)
	case s.For == "token" && w.down:
		return `,"status":503,"headers":{"Retry-After":"7"},"body":"` + secret + `"`
	case s.For == "token":
		body, _ := s.Request.Body.(string)
		form, _ := url.ParseQuery(body)
		token := fmt.Sprintf("%s-token-%04d", form.Get("client_id"), len(w.owners))
		w.owners[token], w.expiry[token] = form.Get("client_id"), w.time+3600
		w.tokens = append(w.tokens, token)
		return fmt.Sprintf(`,"status":200,"body":"{\"access_token\":\"%s\",\"token_type\":\"Bearer\",\"expires_in\":3600}"`, token)
	}
	token := strings.TrimPrefix(s.Request.Headers["Authorization"], "Bearer ")
	if w.refuses || w.revoked[token] {
		return fmt.Sprintf(`,"status":401,"body":"no %s for %s"`, token, secret)
	}
	if s.Last {
		return "done"
	}
	return `,"status":200`
}

// take checks the next step of a call against the rules.
func (w *steps) take(c *stepped, next *call.Step) {
	w.t.Helper()
	output := string(next.Output)
	if next.Kind == call.GiveHeld {
		output = string(w.Held)
	}
	if c.steps++; c.steps > 400 {
		w.t.Fatalf("a call without an end: %s", output)
	}
	if next.Kind == call.Fail {
		w.checkHidden("an error", output)
		w.end(c)
		return
	}
	c.step = step{}
	if err := json.Unmarshal([]byte(output), &c.step); err != nil {
		w.t.Fatalf("%s: %v", output, err)
	}
	w.checkHidden("a flow", string(c.step.Flow))
	switch s := &c.step; {
	case s.Step == "done":
		if out := s.Output; c.name == "get_token" && (w.ownerOf(out.AccessToken) != w.client || out.ExpiresAt == 0) {
			w.t.Errorf("a token of %q until %d, not of %s", w.ownerOf(out.AccessToken), out.ExpiresAt, w.client)
		}
		w.end(c)
	case s.Step != "request":
		if c.accepts == "" || c.accepts == "wait" && s.Step == "store" {
			w.t.Errorf("a host that accepts %q gets %s", c.accepts, output)
		}
	case s.For == "token":
		c.asks++
		w.checkTokenRequest(c)
	default:
		c.sends++
		token := strings.TrimPrefix(s.Request.Headers["Authorization"], "Bearer ")
		if w.ownerOf(token) != w.client || !strings.HasPrefix(s.Request.URL, w.Settings["base_url"]+"/") {
			w.t.Errorf("%s with a token of %q, as %s", s.Request.URL, w.ownerOf(token), w.client)
		}
	}
	if c.asks > 1 || c.sends > 3 {
		w.t.Errorf("%d token requests and %d others of one call", c.asks, c.sends)
	}
}

// ownerOf returns the client whose token this is.
func (w *steps) ownerOf(token string) string {
	if owner, known := w.owners[token]; known || !w.forged {
		return owner
	}
	return w.client
}

func (w *steps) checkTokenRequest(c *stepped) {
	w.t.Helper()
	s := &c.step
	body, _ := s.Request.Body.(string)
	form, err := url.ParseQuery(body)
	if err != nil || s.Request.URL != "https://auth.example/id/connect/token" || form.Get("client_id") != w.client {
		w.t.Errorf("a token request to %s as %q, %v", s.Request.URL, form.Get("client_id"), err)
	}
}
