package plugin

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"automatic-rostering/tests/stubhost"
)

// Neither the token nor the body enters the guest in a warm call, so the host calls do not grow with
// the token. How many they are is held by make bench-check.
func TestWarmCallsIgnoreTokenSize(t *testing.T) {
	for _, build := range []struct{ file, now string }{
		{"dist/rostering.wasm", ""}, // the host's clock
		{"dist/rostering.wasm", `"now":1800000000`},
		{"dist/rostering-nowasi.wasm", `"now":1800000000`},
	} {
		first := map[string]int{}
		for _, length := range []int{1, 900, 32 << 10} {
			warmCalls(t, build.file, build.now, strings.Repeat("t", length), first)
		}
	}
}

// warmCalls makes each warm call with a token, and wants as many host calls as in first, which the first token sets.
func warmCalls(t *testing.T, file, now, token string, first map[string]int) {
	t.Helper()
	h := instance(t, file, token)
	warm := func(call, input string) []byte {
		t.Helper()
		export, _, _ := strings.Cut(call, " ")
		output := mustCall(t, h, export, input)
		if first[call] == 0 {
			first[call] = h.Total()
		}
		if h.Total() != first[call] {
			t.Errorf("%s, %s makes %d host calls with a token of %d bytes, %d with one: %v", file, call, h.Total(), len(token), first[call], h.Calls)
		}
		if h.Calls["config_get"] > 0 {
			t.Errorf("%s, %s reads config", file, call)
		}
		return output
	}
	mustCall(t, h, "list_jobs", "{"+now+"}")
	for _, export := range []string{"list_jobs", "get_token"} {
		output := warm(export, "{"+now+"}")
		if holds := strings.Contains(string(output), token); holds != (export == "get_token") && len(token) > 1 {
			t.Errorf("%s gives out the token: %v", export, holds)
		}
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

func config() map[string]string {
	return map[string]string{
		"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example/api",
		"client_id": "client", "client_secret": "the-client's secret/+&%", "customer_id": "c", "user_id": "u",
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
	h.Config = config()
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
