// Package bench measures a warm call of the plugin next to the same call of plugins in C and Rust: run.sh.
package bench

import (
	"bytes"
	"context"
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
type guest interface {
	call(ctx context.Context, export string) ([]byte, error)
	sent() string // the last request's Authorization
	close(ctx context.Context)
}

func BenchmarkWarm(b *testing.B) {
	plugins := map[string]string{"ours": "../../dist/rostering.wasm", "c": "../../build/peers/c.wasm", "rust": "../../build/peers/rust.wasm"}
	hosts := map[string]func(context.Context, []byte) (guest, error){"stub": openStub, "go-sdk": openSDK}
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
					g, err := hosts[host](b.Context(), wasm)
					if err != nil {
						b.Fatal(err)
					}
					defer g.close(context.Background())
					if err := warm(b.Context(), g); err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					for b.Loop() {
						if _, err := g.call(b.Context(), export); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// warm makes each call, without a token and with one, and checks that it does what is measured.
func warm(ctx context.Context, g guest) error {
	for range 3 {
		if got, err := g.call(ctx, "list_jobs"); err != nil || !bytes.Equal(got, jobs) || g.sent() != "Bearer "+token {
			return fmt.Errorf("list_jobs: %w, %.80q with the Authorization %.80q", err, got, g.sent())
		}
		if got, err := g.call(ctx, "get_token"); err != nil || !bytes.Contains(got, []byte(token)) {
			return fmt.Errorf("get_token: %w, %.80q", err, got)
		}
	}
	return nil
}

// stub is a plugin on a host whose functions do next to nothing, so that the plugin's own time is measured.
type stub struct {
	*stubhost.Host
	last []byte
}

func openStub(ctx context.Context, wasm []byte) (guest, error) {
	h, err := stubhost.New(ctx, wasm)
	if err != nil {
		return nil, err
	}
	s := &stub{Host: h}
	h.Config, h.Lenient, h.Clock = config, true, time.Unix(1_800_000_000, 0)
	h.Respond = func(request, body []byte) (int, []byte, error) {
		if s.last = request; body != nil {
			return http.StatusOK, tokenResponse, nil
		}
		return http.StatusOK, jobs, nil
	}
	return s, nil
}

func (s *stub) close(ctx context.Context) { _ = s.Close(ctx) }

func (s *stub) sent() string { return stubhost.Read(s.last).Headers["Authorization"] }

func (s *stub) call(ctx context.Context, export string) ([]byte, error) {
	output, failure, err := s.Call(ctx, export, "")
	if failure != "" {
		err = errors.New(failure)
	}
	return output, err
}

// sdk is a plugin on go-sdk. Responses do not come over a network.
type sdk struct {
	plugin *extism.Plugin
	last   *http.Request
}

func openSDK(ctx context.Context, wasm []byte) (guest, error) {
	s := new(sdk)
	http.DefaultClient.Transport = s // which go-sdk sends with
	var err error
	s.plugin, err = extism.NewPlugin(ctx, extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}, Config: config, AllowedHosts: []string{"*"},
	}, extism.PluginConfig{
		EnableWasi: true, ModuleConfig: wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime(),
	}, nil)
	return s, err
}

func (s *sdk) close(ctx context.Context) { s.plugin.Close(ctx) }

func (s *sdk) sent() string { return s.last.Header.Get("Authorization") }

func (s *sdk) call(ctx context.Context, export string) ([]byte, error) {
	status, output, err := s.plugin.CallWithContext(ctx, export, nil)
	if err == nil && status != 0 {
		err = errors.New(s.plugin.GetError())
	}
	return output, err
}

func (s *sdk) RoundTrip(r *http.Request) (*http.Response, error) {
	s.last = r
	body := jobs
	if r.Method == http.MethodPost {
		body = tokenResponse
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}
