package exports_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/exports"
	"automatic-rostering/plugin/core/flow"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/memory"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/vars"
)

const noon = 1_800_000_000

// instance makes direct calls. What it sends, logs and returns is written down in short.
type instance struct {
	*memory.Host
	t         *testing.T
	responses []string // the next ones: "tokens-A 3600", "401 body", or "trap"
	done      []string
	body      string // of the last response
}

func newInstance(t *testing.T) *instance {
	i := &instance{t: t}
	i.Host = memory.New(map[string]string{"environment": "stage", "auth_url": "https://auth.example", "client_id": "client", "client_secret": "s3cret-of-client",
		"base_url": "https://service.example", "customer_id": "c", "user_id": "u"})
	i.Clock = noon
	i.Logged = func(level host.Level, line string) {
		if level == host.Warn {
			i.done = append(i.done, strings.Fields(line)[0]+"…")
		}
	}
	i.Respond = i.respond
	return i
}

func (i *instance) respond(request, body string) *message.Response {
	var r struct {
		Method, URL string
		Headers     map[string]string
	}
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		i.t.Fatal(err)
	}
	sent := r.Method + " " + strings.TrimPrefix(r.URL, "https://service.example") + " " + strings.TrimPrefix(r.Headers["Authorization"], "Bearer ") + " " + r.Headers["CUSTOMER_ID"] + " " + body
	if strings.HasPrefix(body, "grant_type") {
		sent = "request"
	}
	i.done = append(i.done, strings.TrimSpace(sent))
	if len(i.responses) == 0 {
		i.t.Fatalf("nobody responds to %v", i.done)
	}
	var status int
	var rest string
	next := i.responses[0]
	i.responses = i.responses[1:]
	switch n, _ := fmt.Sscan(next, &status, &rest); {
	case next == "trap":
		panic("trap")
	case strings.HasPrefix(next, "token"):
		token, lifetime, _ := strings.Cut(next, " ")
		status, rest = 200, fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":%s}`, token, lifetime)
	case n == 0:
		i.t.Fatalf("what is %q", next)
	}
	i.body = rest
	return &message.Response{Status: status, Size: len(rest), Load: func(most int) []byte { return []byte(rest[:min(most, len(rest))]) }}
}

// call makes a call, and returns all that happened.
func (i *instance) call(export input.Export, in string, responses ...string) string {
	i.t.Helper()
	i.responses, i.done, i.body = responses, nil, ""
	i.done = append(i.done, i.result(export, in))
	if len(i.responses) > 0 {
		i.t.Errorf("%d responses are left after %v", len(i.responses), i.done)
	}
	return strings.Join(i.done, ", ")
}

func (i *instance) result(export input.Export, in string) (result string) {
	defer func() {
		if trap := recover(); trap == "trap" {
			result = "trap"
		} else if trap != nil {
			panic(trap)
		}
	}()
	r := exports.Direct(i, export, []byte(in))
	text := string(r.Text)
	switch r.Kind {
	case host.Response:
		return "= " + i.body
	case host.Held:
		text = string(i.Held)
	}
	var v struct {
		AccessToken string `json:"access_token"`
		Code, Body  string
		Status      int
		RetryAfter  int64 `json:"retry_after"`
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		i.t.Fatalf("%s: %v", text, err)
	}
	if v.Code == "" {
		return "= " + v.AccessToken
	}
	if strings.Contains(text, "tokens-") || strings.Contains(text, "s3cret") {
		i.t.Errorf("a secret in %s", text)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %d %d %s", v.Code, v.Status, v.RetryAfter, v.Body))
}

func (i *instance) want(want string, export input.Export, in string, responses ...string) {
	i.t.Helper()
	if got := i.call(export, in, responses...); got != want {
		i.t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestListJobs(t *testing.T) {
	i := newInstance(t)
	i.want("request, GET /jobs tokens-A c, = jobs", input.ListJobs, "", "tokens-A 3600", "200 jobs")
	i.want("GET /jobs tokens-A c, = jobs", input.ListJobs, "", "201 jobs")
	i.want("GET /jobs tokens-A c, service_error 503 0 [redacted]", input.ListJobs, "", "503 tokens-A")
	i.want("GET /jobs tokens-A c, network_error 0 0", input.ListJobs, "", "0")
	i.want("GET /jobs tokens-A c, network_error 0 0", input.ListJobs, "", "200 \x00") // how JavaScript's SDKs show one that is too long
	i.want("GET /jobs tokens-A c, service_error 304 0", input.ListJobs, "", "304")
	i.want("GET /jobs tokens-A d, = jobs", input.ListJobs, `{"customer_id":"d"}`, "200 jobs")
	i.want("GET /jobs tokens-A, = jobs", input.ListJobs, `{"customer_id":null}`, "200 jobs")
	delete(i.Settings, "customer_id")
	i.want("config_missing 0 0", input.ListJobs, "")
}

func TestSendRequest(t *testing.T) {
	i := newInstance(t)
	i.want("request, PUT /a?b tokens-A c {}, = ok", input.SendRequest, `{"path":"/a?b","method":"PUT","body":"{}"}`, "tokens-A 3600", "200 ok")
	i.want("GET /jobs tokens-A c, = ok", input.SendRequest, `{"path":"/jobs"}`, "200 ok")
	i.want("invalid_input 0 0", input.SendRequest, ``)
}

func TestGetToken(t *testing.T) {
	i := newInstance(t)
	i.want("request, = tokens-A", input.GetToken, "", "tokens-A 3600")
	i.want("= tokens-A", input.GetToken, "")
	i.want("request, = tokens-B", input.GetToken, `{"force":true}`, "tokens-B 3600")
	i.want("= tokens-B", input.GetToken, `{"refused":"tokens-A"}`)
	i.want("request, = tokens-C", input.GetToken, `{"refused":"tokens-B","used":true}`, "tokens-C 60")
	i.Clock += 30
	i.want("request, = tokens-C", input.GetToken, "", "tokens-D 60") // the old one, for 5 seconds
	i.Clock += 5
	i.want("= tokens-D", input.GetToken, "")
	i.Clock = 0
	i.want("clock_unusable 0 0", input.GetToken, "")
}

func TestA401(t *testing.T) {
	const again = ", the…, "
	for _, tt := range []struct {
		name, want string
		responses  []string
	}{
		{"another token", again + "GET /jobs tokens-B c, = ok", []string{"tokens-B 3600", "200 ok"}},
		{"a second other one", again + "GET /jobs tokens-B c, request, the…, GET /jobs tokens-C c, = ok", []string{"tokens-B 3600", "401", "tokens-C 3600", "200 ok"}},
		{"three in all", again + "GET /jobs tokens-B c, request, the…, GET /jobs tokens-C c, service_unauthorized 401 1 [redacted],[redacted],[redacted]",
			[]string{"tokens-B 3600", "401", "tokens-C 3600", "401 tokens-A,tokens-B,tokens-C"}},
		{"no other one", ", token_endpoint_unavailable 503 1", []string{"503"}},
		{"another status then", again + "GET /jobs tokens-B c, service_error 403 0 no", []string{"tokens-B 3600", "403 no"}},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, ", warm: ", warm), func(t *testing.T) {
				i := newInstance(t)
				i.call(input.GetToken, "", "tokens-A 3600")
				if warm {
					i.call(input.ListJobs, "", "200 ok")
				}
				i.Clock += 20
				i.want("GET /jobs tokens-A c, request"+tt.want, input.ListJobs, "", append([]string{"401"}, tt.responses...)...)
			})
		}
	}
}

// Most hosts end the call if a request has no response.
func TestTraps(t *testing.T) {
	i := newInstance(t)
	i.want("request, trap", input.ListJobs, "", "trap")
	i.want("network_error 0 1", input.ListJobs, "")
	i.Clock++
	i.want("request, token_endpoint_rejected 400 2", input.ListJobs, "", "400")
	i.Clock += 2
	i.want("request, GET /jobs tokens-A c, trap", input.ListJobs, "", "tokens-A 60", "trap")
	i.want("GET /jobs tokens-A c, = ok", input.ListJobs, "", "200 ok")
	i.Clock += 60
	i.want("request, network_error 0 1", input.GetToken, "", "0") // the attempt does not count twice
	i.Clock++
	i.Respond = func(request, body string) *message.Response {
		i.Clock += 20 // the wait begins with the response
		return i.respond(request, body)
	}
	i.want("request, token_endpoint_unavailable 503 2", input.GetToken, "", "503")
	i.want("token_endpoint_unavailable 503 2", input.GetToken, "")
}

func TestWithoutAClock(t *testing.T) {
	i := newInstance(t)
	i.Clock = 0
	i.want("no…, request, GET /jobs tokens-A c, = ok", input.ListJobs, "", "tokens-A 60", "200 ok")
	i.want("no…, GET /jobs tokens-A c, = ok", input.ListJobs, "", "200 ok")
	i.want("no…, GET /jobs tokens-A c, request, the…, GET /jobs tokens-B c, service_unauthorized 401 0 x", input.ListJobs, "", "401", "tokens-B 60", "401 x")
	i.want("no…, request, token_endpoint_unavailable 503 0", input.ListJobs, "", "503") // tokens-B is dropped, and there is no backoff
	i.want("no…, request, GET /jobs tokens-C c, = ok", input.ListJobs, "", "tokens-C 60", "200 ok")
	if i.Vars[vars.JobsRequest] != nil {
		t.Error("a request is prepared that no warm call uses")
	}
	i.Clock = noon
	i.want("request, = tokens-D", input.GetToken, "", "tokens-D 60")
	i.Clock = 0
	i.want("no…, GET /jobs tokens-D c, = ok", input.ListJobs, "", "200 ok")
}

// A host without room for a var ends the call, or ignores the var. Either way a later call works, or says what is wrong.
func TestWithoutRoom(t *testing.T) {
	for _, name := range append(vars.All[:], vars.Summary) {
		for _, traps := range []bool{true, false} {
			i := newInstance(t)
			i.Keeps = func(set string, value []byte) bool {
				if set == name && len(value) > 0 && traps {
					panic("trap")
				}
				return set != name || len(value) == 0
			}
			var got string
			for range 3 {
				i.Clock += 3
				got = i.free(input.ListJobs)
			}
			want := "= ok"
			switch {
			case traps && (name == vars.TokenObject || name == vars.Summary):
				want = "trap"
			case name == vars.TokenObject:
				want = "token_response_invalid 0 4"
			case traps && (name == vars.Retry):
				want = "trap" // before each token request
			}
			if got != want {
				t.Errorf("%s, a trap: %v: %s, want %s", name, traps, got, want)
			}
		}
	}
}

// free makes a call to which the servers respond as they should.
func (i *instance) free(export input.Export) string {
	i.Respond = func(request, body string) *message.Response {
		i.responses = []string{"200 ok"}
		if body != "" {
			i.responses = []string{"tokens-A 3600"}
		}
		return i.respond(request, body)
	}
	defer func() { i.Respond = i.respond }()
	i.done = nil
	return i.result(export, "")
}

func TestLog(t *testing.T) {
	i := newInstance(t)
	var logged []string
	i.Logged = func(_ host.Level, line string) { logged = append(logged, line) }
	for _, responses := range [][]string{{"tokens-A 3600", "200 ok"}, {"200 ok"}, {"204 ok"}, {"0"}, {"503"}} { // all but the first are warm
		i.call(input.ListJobs, "", responses...)
		logged = append(logged, "")
	}
	const token, jobs = "HTTP 200 to POST auth.example/connect/token", "to GET service.example/jobs"
	want := []string{token, "HTTP 200 " + jobs, "", "HTTP 200 " + jobs, "", "HTTP 204 " + jobs, "", "", "HTTP 503 " + jobs, ""}
	if !slices.Equal(logged, want) {
		t.Errorf("got %q", logged)
	}
}

// The time of set_token makes the expiry known.
func TestSetATokenOfUnknownExpiry(t *testing.T) {
	const object = `{"access_token":"tokens-A","expires_at":1800000600,"cache_key":"rostering:https%3A%2F%2Fauth.example%2Fconnect%2Ftoken:client:automatic-rostering-stage"}`
	i := newInstance(t)
	i.Clock = 0
	for range 2 { // the second one is the cached one
		if r := flow.SetToken(i, []byte(object)); r.Kind != host.Output {
			t.Fatalf("%s", r.Text)
		}
	}
	i.want("no…, GET /jobs tokens-A c, = ok", input.ListJobs, "", "200 ok")
	i.Clock = noon
	if r := flow.SetToken(i, []byte(object)); r.Kind != host.Output {
		t.Fatalf("%s", r.Text)
	}
	i.want("= tokens-A", input.GetToken, "")
}

// A warm call needs the config again to show what went wrong, not for a result.
func TestAConfigThatBecameInvalid(t *testing.T) {
	i := newInstance(t)
	i.call(input.ListJobs, "", "tokens-A 3600", "200 ok")
	delete(i.Settings, "base_url")
	i.want("GET /jobs tokens-A c, = ok", input.ListJobs, "", "201 ok")
	i.want("GET /jobs tokens-A c, config_missing 0 0", input.ListJobs, "", "503")
}

func TestWhatIsPrepared(t *testing.T) {
	i := newInstance(t)
	i.call(input.ListJobs, "", "tokens-A 3600", "200 ok")
	before := string(i.Vars[vars.JobsRequest])
	if !strings.Contains(before, "tokens-A") || string(i.Vars[vars.LogLine]) != "HTTP 200 to GET service.example/jobs" {
		t.Fatalf("prepared: %s, %s", before, i.Vars[vars.LogLine])
	}
	i.call(input.SendRequest, `{"path":"/a"}`, "200 ok")
	if got := string(i.Vars[vars.JobsRequest]); got != before {
		t.Errorf("a custom request is prepared: %s", got)
	}
	i.want("GET /jobs tokens-A d, = ok", input.ListJobs, `{"customer_id":"d"}`, "200 ok")
	i.Settings["base_url"] = "https://other.example" // which a warm call does not read
	i.want("GET /jobs tokens-A d, = ok", input.ListJobs, `{"customer_id":"d"}`, "200 ok")
	i.want("GET https://other.example/jobs tokens-A e, = ok", input.ListJobs, `{"customer_id":"e"}`, "200 ok")
	i.want("GET https://other.example/jobs tokens-A c, = ok", input.ListJobs, "", "200 ok")
	i.Settings["base_url"] = "https://service.example"
	for _, drops := range []func(){
		func() { flow.ClearToken(i, nil) },
		func() { i.call(input.GetToken, `{"force":true}`, "tokens-B 3600") },
	} {
		i.call(input.ListJobs, "", "200 ok")
		if drops(); i.Vars[vars.JobsRequest] != nil {
			t.Error("the request with the token before is still there")
		}
		i.call(input.GetToken, `{"force":true}`, "tokens-A 3600")
	}
}

func TestCheckAndVersion(t *testing.T) {
	i := newInstance(t)
	if r := exports.Check(i, nil); r.Kind != host.Output || len(r.Text) > 0 {
		t.Errorf("%s", r.Text)
	}
	i.Settings["refresh_margin"] = "x"
	if r := exports.Check(i, nil); r.Kind != host.Error || !strings.Contains(string(r.Text), `"key":"refresh_margin"`) {
		t.Errorf("%s", r.Text)
	}
	if r := exports.Version(i, nil); string(r.Text) != `{"version":"0.1.0","contract":1}` {
		t.Errorf("%s", r.Text)
	}
	for _, export := range []func(host.Host, []byte) host.Result{exports.Check, exports.Version, flow.ClearToken} {
		if r := export(i, []byte(`{"x":1}`)); r.Kind != host.Error || !strings.Contains(string(r.Text), `"key":"x"`) {
			t.Errorf("%s", r.Text)
		}
	}
}
