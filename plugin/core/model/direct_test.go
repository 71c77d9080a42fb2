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

// TestDirect holds direct calls in random sequences to the rules on requests.
func TestDirect(t *testing.T) {
	kinds := map[string]int{}
	for s, made := *seed, 0; made < 5_000; s++ {
		made += runDirect(t, s, func(c *directCall) {
			var e struct{ Code string }
			_ = json.Unmarshal([]byte(c.Error), &e)
			switch {
			case c.Lost:
				kinds["lost"]++
			default:
				kinds[cmp.Or(e.Code, c.Export)]++
			}
		})
	}
	for _, kind := range []string{
		"lost", "list_jobs", "get_token", "send_request", "set_token", "clear_token", "check", "version", "invalid_input", "config_missing",
		"config_invalid", "clock_unusable", "token_endpoint_rejected", "token_endpoint_unavailable", "token_response_invalid",
		"token_mismatch", "service_unauthorized", "service_error", "network_error",
	} {
		if kinds[kind] < 20 {
			t.Errorf("only %d calls end with %s", kinds[kind], kind)
		}
	}
}

// directCall is a direct call, or another export that sends nothing, as the core took it.
type directCall struct {
	Export, Input string
	Exchanges     []exchange
	Output        []byte
	Error         string
	Lost          bool // it ended in a trap
}

// exchange is a request and its response.
type exchange struct {
	Request  string // as http_request takes it
	Body     string
	Status   int
	Response []byte
	Lost     bool // no response: a trap
}

// direct is an instance with its surroundings.
type direct struct {
	*memory.Host
	*rand.Rand
	t            *testing.T
	seed         uint64
	client       string // that of the config
	wasi         bool
	room, faults int // faults are a percentage of the responses
	time, offset int64
	refuses      bool
	stale        bool              // the config was changed, and clear_token not called
	tokens       []string          // all that there are
	owners       map[string]string // the client of each
	revoked      map[string]bool
	used         []string // the tokens of the call at hand
}

const directActions = 60

// lostCall is what a host panics with where a real one ends the call.
type lostCall struct{}

// runDirect runs the sequence of a seed, and returns how many calls it had.
func runDirect(t *testing.T, seed uint64, made func(*directCall)) (calls int) {
	r := rand.New(rand.NewPCG(seed, 0))
	w := &direct{Host: memory.New(nil), Rand: r, t: t, seed: seed, wasi: r.IntN(2) == 0, faults: []int{0, 10, 40}[r.IntN(3)],
		owners: map[string]string{}, revoked: map[string]bool{}}
	if r.IntN(8) == 0 {
		w.room = 400 + r.IntN(6000)
	}
	w.Keeps = func(name string, value []byte) bool {
		if w.room > 0 && len(value) > 0 && w.SizeWith(name, value) > w.room {
			panic(lostCall{})
		}
		return true
	}
	w.configure("client-a")
	w.stale = false
	for range directActions {
		export, in := w.act()
		if export == "" {
			continue
		}
		c := &directCall{Export: export, Input: in}
		w.Clock = w.hostClock(w.now())
		w.make(c)
		calls++
		made(c)
	}
	return calls
}

// hostClock returns what the host's clock reads, which it may not have.
func (w *direct) hostClock(now int64) int64 {
	if !w.wasi {
		return 0
	}
	return now
}

func (w *direct) now() int64 { return 1_800_000_000 + w.time + w.offset }

func (w *direct) configure(client string) {
	w.client, w.stale = client, true
	w.Settings = map[string]string{
		"environment": "stage", "auth_url": "https://auth.example/" + client, "base_url": "https://" + client + ".example",
		"client_id": client, "client_secret": "SECRET pass+w\u00f6rt%&\"of=" + client, "customer_id": "customer", "user_id": "user",
	}
	switch w.IntN(6) {
	case 0:
		w.Settings["refresh_margin"] = "600"
	case 1:
		w.Settings["client_secret"] = "pw-7"
	case 2:
		delete(w.Settings, "user_id")
	}
}

// make makes a call, and holds it to the rules on requests.
func (w *direct) make(c *directCall) {
	defer func() {
		if r := recover(); r == (lostCall{}) {
			c.Lost = true
		} else if r != nil {
			panic(r)
		}
	}()
	alone := map[string]func(call.Host, []byte) *call.Step{
		"set_token": call.SetToken, "clear_token": call.ClearToken, "check": call.Check, "version": call.Version,
	}
	if export := alone[c.Export]; export != nil {
		w.end(c, export(w, []byte(c.Input)), nil)
		return
	}
	name, _ := input.ExportNamed(c.Export)
	made := call.New(w, name)
	step := made.Begin([]byte(c.Input))
	var body []byte
	for step.Kind == call.Send || step.Kind == call.SendHeld {
		e := exchange{Request: string(w.Held)}
		if step.Kind == call.Send {
			e.Request, e.Body = string(step.Request.AppendJSON(nil)), step.Request.Body
		}
		w.respond(&e)
		w.Clock = w.hostClock(w.passTime())
		c.Exchanges = append(c.Exchanges, e)
		w.check(c, &e)
		if e.Lost {
			panic(lostCall{})
		}
		body = e.Response
		step = made.Resume(&message.Response{Status: e.Status, Size: len(body), Load: func(most int) []byte {
			return slices.Clone(body[:min(most, len(body))])
		}})
	}
	w.end(c, step, body)
}

func (w *direct) end(c *directCall, step *call.Step, body []byte) {
	switch step.Kind {
	case call.Give:
		c.Output = slices.Clone(step.Output)
	case call.GiveHeld:
		c.Output = slices.Clone(w.Held)
	case call.GiveResponse:
		c.Output = body
	default:
		c.Error = string(step.Output)
	}
	w.checkToken(c)
}

// pick returns one of some values.
func pick[T any](w *direct, of ...T) T { return of[w.IntN(len(of))] }

// act makes up an action. It returns a call, or none if only the surroundings change.
func (w *direct) act() (export, in string) {
	w.used = nil
	if w.IntN(3) == 0 {
		w.time += pick[int64](w, 1, 1, 1, 2, 3, 5, 31, 61, 700, 3545, 3600)
	}
	members := w.timeMember()
	switch n := w.IntN(100); {
	case n < 40:
		if w.IntN(4) == 0 {
			members = append(members, pick(w, `"customer_id":"another"`, `"user_id":null`, `"customer_id":"third","user_id":"u"`, `"customer_id":""`))
		}
		return "list_jobs", object(members)
	case n < 58:
		switch w.IntN(8) {
		case 0, 1:
			members = append(members, `"force":true`)
		case 2, 3:
			w.used = []string{w.token()}
			members = append(members, `"refused":`+quote(w.used[0]))
		}
		return "get_token", object(members)
	case n < 72:
		return "send_request", object(append(members, pick(w,
			`"path":"/a/b?c=d"`, `"path":"/a","method":"POST","body":"{\"a\":\"\\u20ac\"}","headers":{"Content-Type":"application/json"}`,
			`"path":"/a","method":"PUT","body":`+quote(strings.Repeat("b", w.IntN(20000))), `"path":"/../a"`, `"path":"/a","headers":{"Host":"x"}`)))
	case n < 79:
		return "set_token", w.tokenToSet(members)
	case n < 81:
		w.stale = false
		return "clear_token", ""
	case n < 84:
		return pick(w, "check", "version"), ""
	case n < 86:
		return pick(w, "list_jobs", "get_token", "send_request", "set_token", "clear_token", "check", "version"),
			pick(w, `[]`, `{"now":"1"}`, `{"unknown":1}`, `{`, "\xff", `{"now":1800000000,"now":1}`, `{"now":1800000000000}`)
	case n < 91:
		w.change()
		if w.IntN(3) > 0 {
			w.stale = false
			return "clear_token", ""
		}
	case n < 94:
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

// timeMember is now, unless the host's clock has to do.
func (w *direct) timeMember() []string {
	if w.IntN(10) == 0 || w.wasi && w.IntN(2) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(`"now":%d`, w.now())}
}

func object(members []string) string {
	if len(members) == 0 {
		return ""
	}
	return "{" + strings.Join(members, ",") + "}"
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// change changes the config.
func (w *direct) change() {
	w.configure(pick(w, "client-a", "client-b"))
	switch w.IntN(5) {
	case 0:
		w.Settings["client_id"] = ""
	case 1:
		w.Settings["auth_url"] = "http://auth.example"
	case 2:
		w.Settings["environment"] = "else"
	}
}

// token is one that there is, or was never.
func (w *direct) token() string {
	if len(w.tokens) == 0 || w.IntN(4) == 0 {
		return "TOKEN-none"
	}
	return w.tokens[len(w.tokens)-1-w.IntN(min(len(w.tokens), 4))]
}

func (w *direct) tokenToSet(members []string) string {
	token, client := w.token(), w.client
	if owner := w.owners[token]; owner != "" {
		client = owner
	} else {
		token = w.issue(w.IntN(1200))
	}
	key := fmt.Sprintf("rostering:%s:%s:automatic-rostering-stage", url.QueryEscape("https://auth.example/"+client+"/connect/token"), client)
	return object(append(members, `"access_token":`+quote(token), `"cache_key":`+quote(key),
		fmt.Sprintf(`"expires_at":%d`, w.now()+pick[int64](w, 3600, 3600, 100, 30, 1, 90000, -5))))
}

// issue makes up a token of the config's client, with so many bytes more than it needs.
func (w *direct) issue(more int) string {
	token := fmt.Sprintf("TOKEN-%04d", len(w.tokens)+1) + strings.Repeat("p", more)
	w.tokens = append(w.tokens, token)
	w.owners[token] = w.client
	return token
}

// passTime lets time pass during a request. It returns what the clock reads then, 0 if it is lost until the next call.
func (w *direct) passTime() (clock int64) {
	switch w.IntN(16) {
	case 0:
		w.time += pick[int64](w, 1, 5, 31, 61, 3600)
	case 1:
		return 0
	}
	return w.now()
}

// respond makes up the response to a request.
func (w *direct) respond(e *exchange) {
	s := w.read(e)
	fault := w.IntN(100) < w.faults
	if fault && w.IntN(6) == 0 {
		e.Lost = true
		return
	}
	secret := w.Settings["client_secret"]
	if token := s.token(); token != "" {
		w.used = append(w.used, token)
	}
	leak := fmt.Sprintf("%s %s %s %q", secret, url.QueryEscape(secret), quote(secret), w.used)
	switch asks := strings.HasSuffix(s.URL, "/connect/token"); {
	case !fault && asks:
		token := w.issue(pick(w, 0, 0, 900, 30_000))
		w.used = append(w.used, token)
		e.Status, e.Response = 200, fmt.Appendf(nil, `{"access_token":%q,"token_type":"Bearer","expires_in":%d}`, token, pick(w, 3600, 3600, 60, 90000))
	case !fault && (w.refuses || w.revoked[s.token()]):
		e.Status, e.Response = 401, []byte(leak)
	case !fault:
		e.Status, e.Response = 200, []byte(strings.Repeat("the jobs \xff\x00", w.IntN(40)))
	case asks:
		e.Status = pick(w, 0, 200, 200, 200, 200, 201, 302, 400, 401, 403, 408, 429, 500, 503, 700)
		e.Response = []byte(pick(w, "", "\x00", leak, `{"error":"invalid_client","error_description":`+quote(leak)+`}`, `{"error":"invalid_scope"}`,
			`{"access_token":"cut off`, `{"access_token":"","token_type":"Bearer"}`, `{"access_token":"TOKEN-\r\n","token_type":"Bearer"}`,
			`{"access_token":"TOKEN-mac","token_type":"mac"}`, `{"access_token":"TOKEN-0","token_type":"Bearer","expires_in":0}`,
			`[1]`, strings.Repeat("[", w.IntN(10_000)), strings.Repeat(" ", w.IntN(2)*(256<<10))+"{}"))
	default:
		e.Status = pick(w, 0, 200, 204, 302, 304, 400, 401, 401, 403, 404, 408, 418, 429, 500, 503, 700)
		e.Response = []byte(pick(w, "", "\x00", leak, `{"error":`+quote(leak)+`}`, "\xff\xfe"+leak))
		if w.IntN(20) == 0 {
			e.Response = append(bytes.Repeat([]byte("x"), 64<<10-w.IntN(80)), e.Response...)
		}
	}
	if len(e.Response) > 0 && w.IntN(8) == 0 && fault {
		e.Response = e.Response[:w.IntN(len(e.Response))] // the host cut it off
	}
}

// checkToken wants a token that there is, and its expiry.
func (w *direct) checkToken(c *directCall) {
	if c.Export != "get_token" || c.Error != "" {
		return
	}
	var got struct {
		Token     string `json:"access_token"`
		ExpiresAt int64  `json:"expires_at"`
	}
	err := json.Unmarshal(c.Output, &got)
	if owner := w.owners[got.Token]; err != nil || owner == "" || owner != w.client && !w.stale || got.ExpiresAt <= 0 {
		w.t.Fatalf("seed %d: get_token returns a token of %q that expires at %d, %v", w.seed, owner, got.ExpiresAt, err)
	}
}

// sent is a request, read as a host reads it.
type sent struct {
	Method, URL string
	Headers     map[string]string
}

func (s *sent) token() string { return strings.TrimPrefix(s.Headers["Authorization"], "Bearer ") }

func (w *direct) read(e *exchange) (s sent) {
	if err := json.Unmarshal([]byte(e.Request), &s); err != nil {
		w.t.Fatalf("seed %d: %s: %v", w.seed, e.Request, err)
	}
	return s
}

// check holds a request to the rules: where it goes, as whom, and how often.
func (w *direct) check(c *directCall, e *exchange) {
	asks := 0
	for n := range c.Exchanges {
		if r := w.read(&c.Exchanges[n]); strings.HasSuffix(r.URL, "/connect/token") {
			asks++
		}
	}
	if sends := len(c.Exchanges) - asks; asks > 1 || sends > 3 {
		w.t.Fatalf("seed %d: %d token requests, %d others", w.seed, asks, sends)
	}
	if w.stale {
		return // what was prepared before may still be used
	}
	s := w.read(e)
	if strings.HasSuffix(s.URL, "/connect/token") {
		form, err := url.ParseQuery(e.Body)
		if err != nil || s.URL != w.Settings["auth_url"]+"/connect/token" || form.Get("client_id") != w.client ||
			form.Get("client_secret") != w.Settings["client_secret"] {
			w.t.Fatalf("seed %d: a token request to %s as %s, %v", w.seed, s.URL, form.Get("client_id"), err)
		}
		return
	}
	var ids struct {
		Customer *string `json:"customer_id"`
	}
	if err := json.Unmarshal([]byte(c.Input), &ids); c.Input != "" && err != nil {
		w.t.Fatalf("seed %d: %s is sent for %s", w.seed, e.Request, c.Input)
	}
	want := w.Settings["customer_id"]
	if ids.Customer != nil {
		want = *ids.Customer
	}
	if w.owners[s.token()] != w.client || !strings.HasPrefix(s.URL, w.Settings["base_url"]+"/") || s.Headers["CUSTOMER_ID"] != want {
		w.t.Fatalf("seed %d: %s with a token of %q", w.seed, e.Request, w.owners[s.token()])
	}
}
