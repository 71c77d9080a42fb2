package plugin

import (
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
)

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
	h.Answer = func(r stubhost.Request) (int, []byte, error) {
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
