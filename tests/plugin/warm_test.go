package plugin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"automatic-rostering/tests/stubhost"
)

// A warm call must not grow with the token: neither it nor the body enters the guest.
const (
	mostForListJobs = 20
	mostForGetToken = 16
	mostForBegin    = 22
	mostForwarded   = 8
	mostForResume   = 30
)

// forwarded are the host calls that go-sdk hands on to the Extism kernel: each costs a
// microsecond and more, the others a tenth of that.
var forwarded = []string{"alloc", "free", "length", "load_u8", "store_u8", "output_set", "error_set"}

func TestWarmCallsAskLittleOfTheHost(t *testing.T) {
	for _, length := range []int{1, 900, 32 << 10} {
		token := strings.Repeat("t", length)
		t.Run(fmt.Sprintf("a token of %d bytes", length), func(t *testing.T) {
			h := instance(t, "dist/rostering.wasm", token)
			at := h.Clock.Unix()
			input := fmt.Sprintf(`{"now":%d}`, at)
			mustCall(t, h, "list_jobs", "")
			for _, c := range []struct {
				export, input string
				most          int
			}{
				{"list_jobs", "", mostForListJobs},
				{"list_jobs", input, mostForListJobs},
				{"get_token", "", mostForGetToken},
				{"get_token", input, mostForGetToken},
			} {
				output := mustCall(t, h, c.export, c.input)
				t.Logf("%s %s: %d host calls", c.export, c.input, h.Total())
				if got := h.Total(); got > c.most {
					t.Errorf("%s %s makes %d host calls, at most %d are allowed: %v", c.export, c.input, got, c.most, h.Calls)
				}
				if h.Calls["config_get"] > 0 {
					t.Errorf("%s %s reads config", c.export, c.input)
				}
				if holds := strings.Contains(string(output), token); holds != (c.export == "get_token") && length > 1 {
					t.Errorf("%s gives out the token: %v", c.export, holds)
				}
			}
		})
	}
}

// What a library calls: begin with all that it accepts and the time, and nothing more.
func TestWarmStepsAskLittleOfTheHost(t *testing.T) {
	for _, length := range []int{1, 900, 32 << 10} {
		token := strings.Repeat("t", length)
		for _, call := range []string{"list_jobs", "get_token"} {
			t.Run(fmt.Sprintf("%s, a token of %d bytes", call, length), func(t *testing.T) {
				h := instance(t, "dist/rostering-nowasi.wasm", token)
				now := fmt.Sprintf(`"now":%d`, h.Clock.Unix())
				mustCall(t, h, "get_token", "{"+now+"}")
				begin := fmt.Sprintf(`{"call":%q,"accepts":["wait","store"],"input":{%s}}`, call, now)
				mustCall(t, h, "begin", begin) // prepares
				step := mustCall(t, h, "begin", begin)
				most(t, h, "begin", mostForBegin)
				if got := h.Count(forwarded...); got > mostForwarded {
					t.Errorf("of the host calls, %d are forwarded, at most %d may be: %v", got, mostForwarded, h.Calls)
				}
				if call == "get_token" {
					return
				}
				var s struct {
					Last bool
					Flow json.RawMessage
				}
				if err := json.Unmarshal(step, &s); err != nil || !s.Last {
					t.Fatalf("not the last step: %.300s", step)
				}
				mustCall(t, h, "resume", fmt.Sprintf(`{"flow":%s,"status":200,%s}`, s.Flow, now))
				most(t, h, "resume", mostForResume)
			})
		}
	}
}

// A body that the host has never enters the guest, whatever its size.
func TestABodyOfTheHostCostsNothing(t *testing.T) {
	h := instance(t, "dist/rostering-nowasi.wasm", "token-0001")
	now := fmt.Sprintf(`"now":%d`, h.Clock.Unix())
	mustCall(t, h, "get_token", "{"+now+"}")
	begin := func(body string) int {
		mustCall(t, h, "begin", `{"call":"send_request","input":{"path":"/a","method":"POST",`+body+now+`}}`)
		return h.Total()
	}
	// Some words more of input and output, for the name and true.
	if with, without := begin(`"body":true,`), begin(""); with > without+10 {
		t.Errorf("%d host calls with the host's body, %d without", with, without)
	}
}

func most(t *testing.T, h *stubhost.Host, export string, most int) {
	t.Helper()
	t.Logf("%s: %d host calls, %d forwarded", export, h.Total(), h.Count(forwarded...))
	if got := h.Total(); got > most {
		t.Errorf("%s makes %d host calls, at most %d are allowed: %v", export, got, most, h.Calls)
	}
	if h.Calls["config_get"] > 0 {
		t.Errorf("%s reads config", export)
	}
}

func TestWarmCallLogsItsRequest(t *testing.T) {
	h := instance(t, "dist/rostering.wasm", "token")
	mustCall(t, h, "list_jobs", "")
	mustCall(t, h, "list_jobs", "")
	if got := fmt.Sprint(h.Logs); got != "[debug HTTP 200 to GET service.example/api/jobs]" {
		t.Errorf("the log is %s", got)
	}
}

// instance is a plugin on a stub host whose servers give token and a body.
func instance(t *testing.T, file, token string) *stubhost.Host {
	t.Helper()
	h, err := stubhost.New(t.Context(), read(t, file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(t.Context()) })
	h.Config = map[string]string{
		"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example/api",
		"client_id": "client", "client_secret": "secret", "customer_id": "c", "user_id": "u",
	}
	h.Clock = time.Unix(1_800_000_000, 0)
	h.Respond = func(r stubhost.Request) (int, []byte, error) {
		switch r.URL {
		case "https://auth.example/connect/token":
			return 200, fmt.Appendf(nil, `{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, token), nil
		case "https://service.example/api/jobs":
			if got := r.Headers["Authorization"]; got != "Bearer "+token {
				return 0, nil, fmt.Errorf("Authorization is %.40q", got)
			}
			return 200, []byte("the jobs"), nil
		}
		return 0, nil, fmt.Errorf("a request to %s", r.URL)
	}
	return h
}

func mustCall(t *testing.T, h *stubhost.Host, export, input string) []byte {
	t.Helper()
	output, failure, err := h.Call(t.Context(), export, input)
	if err != nil || failure != "" {
		t.Fatalf("%s: %s %v", export, failure, err)
	}
	return output
}
