// Package bench measures a warm call of the plugin next to the same call of plugins in C and Rust: run.sh.
package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"automatic-rostering/tests/stubhost"
)

var (
	token         = strings.Repeat("t", 900)
	tokenResponse = fmt.Appendf(nil, `{"access_token":%q,"token_type":"Bearer","expires_in":86400}`, token)
	jobs          = []byte(`{"jobs":[` + strings.Repeat(`{"id":"job-0001","status":"completed"},`, 25) + `{}]}`)
)

// config is what the peers have as constants.
var config = map[string]string{
	"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example",
	"client_id": "client", "client_secret": "the-secret", "customer_id": "c", "user_id": "u",
}

// guest is a plugin on a host.
type guest struct {
	call func(export string) ([]byte, error)
	sent func() string // the last request's Authorization
}

func BenchmarkWarm(b *testing.B) {
	plugins := map[string]string{"ours": "../../plugin/rostering.wasm", "c": "../../build/peers/c.wasm", "rust": "../../build/peers/rust.wasm"}
	hosts := map[string]func(*testing.B, []byte) (guest, error){"stub": onStub, "go-sdk": onSDK}
	for _, host := range []string{"stub", "go-sdk"} {
		for _, export := range []string{"list_jobs", "get_token"} {
			for _, plugin := range []string{"ours", "c", "rust"} {
				wasm, err := os.ReadFile(plugins[plugin])
				if plugin == "rust" && os.IsNotExist(err) {
					continue // run.sh has said why Rust's is missing
				} else if err != nil {
					b.Fatal(err)
				}
				b.Run(fmt.Sprintf("host=%s/call=%s/plugin=%s", host, export, plugin), func(b *testing.B) {
					g, err := hosts[host](b, wasm)
					if err != nil {
						b.Fatal(err)
					}
					g.warm(b)
					b.ReportAllocs()
					for b.Loop() {
						if _, err := g.call(export); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// warm makes each call, without a token and with one, and checks that it does what is measured.
func (g guest) warm(b *testing.B) {
	for range 3 {
		if got, err := g.call("list_jobs"); err != nil || !bytes.Equal(got, jobs) || g.sent() != "Bearer "+token {
			b.Fatalf("list_jobs: %v, %.80q with the Authorization %.80q", err, got, g.sent())
		}
		if got, err := g.call("get_token"); err != nil || !bytes.Contains(got, []byte(token)) {
			b.Fatalf("get_token: %v, %.80q", err, got)
		}
	}
}

// onStub has a host whose functions do next to nothing, so that the plugin's own time is measured.
func onStub(b *testing.B, wasm []byte) (guest, error) {
	h, err := stubhost.New(b.Context(), wasm)
	if err != nil {
		return guest{}, err
	}
	b.Cleanup(func() { _ = h.Close(b.Context()) })
	var last []byte
	h.Config, h.Lenient, h.Clock = config, true, time.Unix(1_800_000_000, 0)
	h.Respond = func(request, body []byte) (int, []byte, error) {
		if last = request; body != nil {
			return http.StatusOK, tokenResponse, nil
		}
		return http.StatusOK, jobs, nil
	}
	return guest{func(export string) ([]byte, error) {
		output, failure, err := h.Call(b.Context(), export, "")
		if failure != "" {
			err = errors.New(failure)
		}
		return output, err
	}, func() string { return stubhost.Read(last).Headers["Authorization"] }}, nil
}

// onSDK has go-sdk. Responses do not come over a network.
func onSDK(b *testing.B, wasm []byte) (guest, error) {
	s := new(service)
	http.DefaultClient.Transport = s // which go-sdk sends with
	plugin, err := extism.NewPlugin(b.Context(), extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}, Config: config, AllowedHosts: []string{"*"},
	}, extism.PluginConfig{
		EnableWasi: true, ModuleConfig: wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime(),
	}, nil)
	if err != nil {
		return guest{}, err
	}
	b.Cleanup(func() { _ = plugin.Close(b.Context()) })
	return guest{func(export string) ([]byte, error) {
		_, output, err := plugin.CallWithContext(b.Context(), export, nil)
		return output, err
	}, func() string { return s.last.Header.Get("Authorization") }}, nil
}

// service responds to go-sdk's requests.
type service struct{ last *http.Request }

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.last = r
	body := jobs
	if r.Method == http.MethodPost {
		body = tokenResponse
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}
