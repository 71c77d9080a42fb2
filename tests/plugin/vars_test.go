package plugin

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func config() map[string]string {
	return map[string]string{
		"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example/api",
		"client_id": "client", "client_secret": clientSecret, "customer_id": "c", "user_id": "u",
	}
}

// With little room for vars, in which a host ends the call that sets one too many, some calls are lost while the plugin finds
// that out. From then on calls work, or an error names the limit; the token is requested no more often than the backoff has
// it. With less than some 700 bytes not even that error can be kept.
func TestLittleRoomForVars(t *testing.T) {
	const size = 900 // of the token
	const most = 4   // lost calls, in 6 seconds: at the token, once for each backoff, or at the prepared request
	worked, named := 0, 0
	for room := 700; room <= 6000; room += 200 {
		h, err := newHost(t.Context(), read(t, "plugin/rostering-nowasi.wasm"))
		if err != nil {
			t.Fatal(err)
		}
		defer h.runtime.Close(t.Context())
		lost, tokens := 0, 0
		h.Config, h.Room = config(), room
		h.Respond = func(_, _ []byte) (int, []byte, error) {
			tokens++
			return 200, grant(strings.Repeat("t", size)), nil
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
