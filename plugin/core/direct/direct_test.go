package direct_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/internal/memory"
	"automatic-rostering.example/rostering/plugin/core/direct"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/message"

	"github.com/tidwall/gjson"
)

// The rules with `direct: true` show what direct calls send and return. What they prepare in
// vars, and what traps leave there, is shown here.

const noon = 1_800_000_000

// plugin makes direct calls.
type plugin struct {
	*memory.Host
	t         *testing.T
	responses []string // the next ones: a status, "trap" or a token
	did       []string
	message   string // of the last error
}

func newInstance(t *testing.T) *plugin {
	i := &plugin{t: t}
	i.Host = memory.New(map[string]string{"environment": "stage", "auth_url": "https://auth.example", "client_id": "client", "client_secret": "s3cret-of-client",
		"base_url": "https://service.example", "customer_id": "c", "user_id": "u"})
	i.Clock, i.Respond = noon, i.respond
	return i
}

func (i *plugin) respond(request, body string) *message.Response {
	r := gjson.Parse(request)
	sent := strings.Join([]string{"GET", r.Get("url").Str, r.Get("headers.Authorization").Str, r.Get("headers.CUSTOMER_ID").Str}, " ")
	if body != "" {
		sent = "request"
	}
	i.did = append(i.did, strings.NewReplacer("https://service.example", "", "Bearer ", "").Replace(sent))
	if len(i.responses) == 0 {
		i.t.Fatalf("no response to %v", i.did)
	}
	next := i.responses[0]
	i.responses = i.responses[1:]
	if next == "trap" {
		panic("trap")
	}
	status, err := strconv.Atoi(next)
	text := ""
	if err != nil {
		status, text = 200, fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":60}`, next)
	}
	return &message.Response{Status: status, Size: len(text), Load: func(most int) []byte { return []byte(text[:min(most, len(text))]) }}
}

// want makes a call, and compares all that happened.
func (i *plugin) want(want string, export input.Export, in string, responses ...string) {
	i.t.Helper()
	i.responses, i.did = responses, nil
	i.did = append(i.did, i.result(export, in))
	if got := strings.Join(i.did, ", "); got != want || len(i.responses) > 0 {
		i.t.Errorf("\n got %s\nwant %s, %d responses are left", got, want, len(i.responses))
	}
}

func (i *plugin) result(export input.Export, in string) (result string) {
	defer func() {
		if p := recover(); p == "trap" {
			result = "trap"
		} else if p != nil {
			panic(p)
		}
	}()
	r := direct.Call(i, export, []byte(in))
	switch r.Kind {
	case host.Error:
		i.message = gjson.GetBytes(r.Text, "message").Str
		return strings.TrimSpace(gjson.GetBytes(r.Text, "code").Str + " " + gjson.GetBytes(r.Text, "retry_after").Raw)
	case host.Held:
		return "held " + gjson.GetBytes(i.Held, "access_token").Str
	}
	return "ok"
}

func TestPreparedRequests(t *testing.T) {
	i := newInstance(t)
	i.want("request, GET /jobs A c, ok", input.ListJobs, "", "A", "200")
	before := string(i.Vars[instance.JobsRequest])
	if !strings.Contains(before, "Bearer A") || string(i.Vars[instance.LogLine]) != "HTTP 200 to GET service.example/jobs" {
		t.Fatalf("prepared: %s, %s", before, i.Vars[instance.LogLine])
	}
	i.want("GET /a A c, ok", input.SendRequest, `{"path":"/a"}`, "200")
	if got := string(i.Vars[instance.JobsRequest]); got != before {
		t.Errorf("a custom request is prepared: %s", got)
	}
	i.want("held A", input.GetToken, "")
	i.want("GET /jobs A d, ok", input.ListJobs, `{"customer_id":"d"}`, "200")
	i.Settings["base_url"] = "https://other.example" // which a warm call does not read
	i.want("GET /jobs A d, ok", input.ListJobs, `{"customer_id":"d"}`, "200")
	i.want("GET https://other.example/jobs A e, ok", input.ListJobs, `{"customer_id":"e"}`, "200")
	i.want("GET https://other.example/jobs A c, ok", input.ListJobs, "", "200")
	i.want("GET https://other.example/jobs A c, ok", input.ListJobs, "", "201")
	delete(i.Settings, "base_url") // which is needed to show what went wrong, not for a result
	i.want("GET https://other.example/jobs A c, ok", input.ListJobs, "", "201")
	i.want("GET https://other.example/jobs A c, config_missing", input.ListJobs, "", "503")
	i.want("request, ok", input.GetToken, `{"force":true}`, "B")
	if i.Vars[instance.JobsRequest] != nil {
		t.Error("the request with the token before is still there")
	}
	i.Settings["base_url"] = "https://service.example"
	i.want("GET /jobs B c, ok", input.ListJobs, "", "200")
	i.Keeps = func(name string, value []byte) bool { return name != instance.JobsRequest || value == nil }
	for range 2 { // no room for the request of another customer
		i.want("GET /jobs B d, ok", input.ListJobs, `{"customer_id":"d"}`, "200")
	}
}

// Most hosts end the call if a request has no response.
func TestTraps(t *testing.T) {
	i := newInstance(t)
	i.want("request, trap", input.ListJobs, "", "trap")
	i.want("network_error 1", input.ListJobs, "")
	i.Clock++
	i.want("request, token_endpoint_rejected 2", input.ListJobs, "", "400")
	i.Clock += 2
	i.want("request, GET /jobs A c, trap", input.ListJobs, "", "A", "trap")
	i.want("GET /jobs A c, ok", input.ListJobs, "", "200")
	i.Clock += 60
	i.want("request, network_error 1", input.GetToken, "", "0") // the attempt does not count twice
	i.Clock++
	i.Respond = func(request, body string) *message.Response {
		i.Clock += 20 // the wait begins with the response
		return i.respond(request, body)
	}
	i.want("request, token_endpoint_unavailable 2", input.GetToken, "", "503")
	i.want("token_endpoint_unavailable 2", input.GetToken, "")
}

// A host without room for a var ends the call, or ignores the var. Either way a later call works, or says what is wrong.
func TestWithoutRoom(t *testing.T) {
	for _, name := range append(instance.All[:], instance.Summary) {
		for _, traps := range []bool{true, false} {
			i := newInstance(t)
			i.Keeps = func(set string, value []byte) bool {
				if set == name && len(value) > 0 && traps {
					panic("trap")
				}
				return set != name || len(value) == 0
			}
			i.Respond = func(request, body string) *message.Response {
				i.responses = []string{"200"}
				if body != "" {
					i.responses = []string{"A"}
				}
				return i.respond(request, body)
			}
			var got string
			for range 3 {
				i.Clock += 3
				got = i.result(input.ListJobs, "")
			}
			want := "ok"
			switch {
			case traps && (name == instance.TokenObject || name == instance.Summary || name == instance.Retry):
				want = "trap"
			case name == instance.TokenObject:
				want = "token_response_invalid 4"
			}
			if got != want {
				t.Errorf("%s, a trap: %v: %s, want %s", name, traps, got, want)
			}
		}
	}
}

// While an instance finds out that a host has little room for vars, and ends each call that sets one too many, some calls are lost.
// From then on calls work, or an error names the limit. With less than some 700 bytes not even that error can be kept.
func TestLittleRoom(t *testing.T) {
	const mostLost = 4 // in 6 seconds: at the token, once for each backoff, or at the prepared request
	token := strings.Repeat("t", 900)
	worked, named := 0, 0
	for room := 700; room <= 6000; room += 200 {
		i := newInstance(t)
		i.Keeps = func(name string, value []byte) bool {
			if i.SizeWith(name, value) > room {
				panic("trap")
			}
			return true
		}
		lost := 0
		for n := range 12 {
			i.Clock, i.responses = noon+int64(n/2), []string{token}
			switch got := i.result(input.GetToken, ""); {
			case got == "trap":
				lost++
			case got != "ok" && got != "held "+token:
				if named++; !strings.Contains(i.message, "max_var_bytes") {
					t.Errorf("with room for %d bytes, call %d: %s %s", room, n, got, i.message)
				}
			case n > 8:
				worked++
			}
		}
		if lost > mostLost || lost > 0 && room >= 3*len(token)+2048 || len(i.did) > 1 && room >= 4000 {
			t.Errorf("with room for %d bytes, %d calls are lost, and %d tokens are requested", room, lost, len(i.did))
		}
	}
	if worked == 0 || named == 0 {
		t.Errorf("%d calls worked, %d named the limit", worked, named)
	}
}
