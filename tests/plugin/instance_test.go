package plugin

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func config() map[string]string {
	return map[string]string{
		"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example/api",
		"client_id": "client", "client_secret": clientSecret, "customer_id": "c", "user_id": "u",
	}
}

// instance is a plugin on a stub host whose servers give token and a body.
func instance(t *testing.T, file, token string) *host {
	t.Helper()
	h, err := newHost(t.Context(), read(t, file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(t.Context()) })
	h.Config = config()
	h.Clock = time.Unix(now, 0)
	h.Respond = func(request, _ []byte) (int, []byte, error) {
		switch r := readRequest(request); {
		case r.URL == tokenURL:
			return 200, grant(token), nil
		case r.URL == "https://service.example/api/jobs" && r.Headers["Authorization"] == "Bearer "+token:
			return 200, jobs, nil
		}
		return 0, nil, fmt.Errorf("a request that is not expected: %s", request)
	}
	return h
}

// With little room for vars, in which a host ends the call that sets one too many, some calls are lost while the plugin finds
// that out. From then on calls work, or an error names the limit; the token is requested no more often than the backoff has
// it. With less than some 700 bytes not even that error can be kept.
func TestLittleRoomForVars(t *testing.T) {
	const size = 900 // of the token
	const most = 4   // lost calls, in 6 seconds: at the token, once for each backoff, or at the prepared request
	worked, named := 0, 0
	for room := 700; room <= 6000; room += 200 {
		h := instance(t, "plugin/rostering-nowasi.wasm", strings.Repeat("t", size))
		lost, tokens, works := 0, 0, h.Respond
		h.Room = room
		h.Respond = func(request, body []byte) (int, []byte, error) {
			tokens++
			return works(request, body)
		}
		for n := range 12 {
			switch _, failure, err := h.Call(t.Context(), "get_token", fmt.Sprintf(`{"now":%d}`, now+n/2)); {
			case errors.Is(err, errNoRoom):
				if lost++; lost > most {
					t.Errorf("with room for %d bytes, call %d is lost, too", room, n)
				}
			case err == nil && failure == "" && n > 8:
				worked++
			case err == nil && strings.Contains(failure, "max_var_bytes"):
				named++
			case err != nil || failure != "":
				t.Errorf("with room for %d bytes, call %d: %s %v", room, n, failure, err)
			}
		}
		if room >= 3*size+2048 && lost > 0 {
			t.Errorf("with room for %d bytes, %d calls are lost", room, lost)
		}
		if room >= 4000 && tokens > 1 {
			t.Errorf("with room for %d bytes, %d token requests", room, tokens)
		}
	}
	if worked == 0 || named == 0 {
		t.Errorf("%d calls worked, %d named the limit", worked, named)
	}
}
