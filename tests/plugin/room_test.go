package plugin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	extism "github.com/extism/go-sdk"
)

// With little room for vars, in which go-sdk ends the call that sets one too many, some calls
// are lost while the plugin finds that out. From then on calls work, or an error names the
// limit; the token is requested no more often than the backoff has it. With less than some 700
// bytes not even that error can be kept.
func TestLittleRoomForVars(t *testing.T) {
	const most = 4 // lost calls, in 6 seconds: at the token, once for each backoff, or at the prepared request
	worked, named := 0, 0
	for room := 700; room <= 6000; room += 200 {
		u := newCramped(t, int64(room))
		lost := 0
		for n := range 12 {
			switch _, err := u.token(1_800_000_000 + n/2); {
			case err == nil && n > 8:
				worked++
			case err == nil:
			case strings.Contains(err.Error(), "max_var_bytes"):
				named++
			default:
				if lost++; lost > most {
					t.Errorf("with room for %d bytes, call %d is lost too: %.200v", room, n, err)
				}
			}
		}
		if room >= 3*tokenSize+2048 && lost > 0 {
			t.Errorf("with room for %d bytes, %d calls are lost", room, lost)
		}
		if room >= 4000 && u.tokens > 1 {
			t.Errorf("with room for %d bytes, %d token requests", room, u.tokens)
		}
	}
	if worked == 0 || named == 0 {
		t.Errorf("%d calls worked, %d named the limit", worked, named)
	}
}

const tokenSize = 900

// cramped is an instance of go-sdk with room for so many bytes of vars.
type cramped struct {
	t      *testing.T
	plugin *extism.Plugin
	tokens int
}

func newCramped(t *testing.T, room int64) *cramped {
	t.Helper()
	manifest := extism.Manifest{
		Wasm:   []extism.Wasm{extism.WasmData{Data: read(t, "dist/rostering-nowasi.wasm")}},
		Memory: &extism.ManifestMemory{MaxHttpResponseBytes: -1, MaxVarBytes: room},
		Config: map[string]string{
			"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example",
			"client_id": "client", "client_secret": "the-client-secret", "customer_id": "c", "user_id": "u",
		},
	}
	plugin, err := extism.NewPlugin(t.Context(), manifest, extism.PluginConfig{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plugin.Close(t.Context()) })
	return &cramped{t: t, plugin: plugin}
}

// token makes the steps of a flow, and returns the last one.
func (u *cramped) token(now int) (step string, err error) {
	export, input := "begin", fmt.Sprintf(`{"now":%d}`, now)
	for {
		_, output, err := u.plugin.Call(export, []byte(input))
		if text := u.plugin.GetError(); err != nil && text != "" {
			return "", fmt.Errorf("%s", text)
		} else if err != nil {
			return "", err
		}
		var s struct {
			Step string
			Flow json.RawMessage
		}
		if err := json.Unmarshal(output, &s); err != nil {
			u.t.Fatalf("%s: %v", output, err)
		}
		if s.Step == "done" {
			return string(output), nil
		}
		u.tokens++
		result := fmt.Sprintf(`,"status":200,"body":"{\"access_token\":\"%s%d\",\"token_type\":\"Bearer\",\"expires_in\":3600}"`, strings.Repeat("t", tokenSize-2), u.tokens)
		export, input = "resume", fmt.Sprintf(`{"flow":%s,"now":%d%s}`, s.Flow, now, result)
	}
}
