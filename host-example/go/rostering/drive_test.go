package rostering_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"automatic-rostering/host-example/go/rostering"
)

// own is an instance that a program made by itself, without any clock.
type own struct{ plugin *extism.Plugin }

var errOwn = errors.New("an error of its own")

func (o own) Call(export string, input []byte) ([]byte, error) {
	_, output, err := o.plugin.Call(export, input)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errOwn, err)
	}
	return output, nil
}

func newOwn(t *testing.T, s *service) own {
	t.Helper()
	plugin, err := extism.NewPlugin(t.Context(), extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmFile{Path: wasmPath}},
		Config: map[string]string{
			"environment": "stage", "auth_url": s.URL, "base_url": s.URL,
			"client_id": "client", "client_secret": "s3cr3t", "customer_id": "customer", "user_id": "user",
		},
	}, extism.PluginConfig{EnableWasi: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plugin.Close(t.Context()) })
	return own{plugin}
}

func TestDrive(t *testing.T) {
	s := newService(t)
	plugin := newOwn(t, s)
	for _, input := range []string{"", " ", "{}", `{"customer_id":"c2"}`} {
		body, err := rostering.Drive(t.Context(), plugin, "list_jobs", []byte(input), nil)
		if err != nil || string(body) != jobs {
			t.Errorf("%s: %q, %v", input, body, err)
		}
	}
	s.wantRequests(t, 1, 4)
}

func TestDriveTakesTheTimeOfTheInput(t *testing.T) {
	s := newService(t)
	now := time.Now().Add(100 * 24 * time.Hour).Unix()
	object, err := rostering.Drive(t.Context(), newOwn(t, s), "get_token", fmt.Appendf(nil, `{"now":%d}`, now), nil)
	if err != nil {
		t.Fatal(err)
	}
	if token, err := rostering.ParseToken(object); err != nil || token.ExpiresAt.Unix() != now+3600 {
		t.Errorf("%v, %v", token, err)
	}
}

func TestDriveGivesTheErrorOfTheInstance(t *testing.T) {
	s := newService(t)
	_, err := rostering.Drive(t.Context(), newOwn(t, s), "list_jobs", []byte(`{"user":"u1"}`), nil)
	if !errors.Is(err, errOwn) {
		t.Errorf("the error is %v", err)
	}
	for _, input := range []string{"[]", "{"} {
		if _, err := rostering.Drive(t.Context(), newOwn(t, s), "list_jobs", []byte(input), nil); err == nil {
			t.Errorf("%s was taken", input)
		}
	}
	s.wantRequests(t, 0, 0)
}

// plugin is what answers each call in the same way.
type plugin string

func (p plugin) Call(string, []byte) ([]byte, error) { return []byte(p), nil }

func TestDriveOfWhatIsNotThePlugin(t *testing.T) {
	for _, output := range []plugin{"", "[]", "{}", `{"step":"request"}`, `{"step":"pause","request":{}}`} {
		if _, err := rostering.Drive(t.Context(), output, "list_jobs", nil, http.DefaultClient); err == nil {
			t.Errorf("%s is a step", output)
		}
	}
}

func TestARequestThatCannotBeMade(t *testing.T) {
	// The plugin is told why, and says so; this one says the same again.
	var told struct{ Failed string }
	p := recorder{output: `{"step":"request","flow":{},"request":{"method":"A B","url":"http://127.0.0.1/"}}`, told: &told}
	_, err := rostering.Drive(t.Context(), p, "list_jobs", nil, nil)
	if !errors.Is(err, errOwn) || told.Failed == "" {
		t.Errorf("%v, the plugin was told %q", err, told.Failed)
	}
}

// recorder gives its output once, and then reads what it is told.
type recorder struct {
	output string
	told   any
}

func (r recorder) Call(export string, input []byte) ([]byte, error) {
	if export == "begin" {
		return []byte(r.output), nil
	}
	return nil, errors.Join(errOwn, json.Unmarshal(input, r.told))
}
