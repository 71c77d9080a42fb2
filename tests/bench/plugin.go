package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/stubhost"
)

var (
	token         = strings.Repeat("t", 900)
	tokenResponse = fmt.Appendf(nil, `{"access_token":%q,"token_type":"Bearer","expires_in":86400}`, token)
	jobs          = []byte(`{"jobs":[` + strings.Repeat(`{"id":"job-0001","status":"completed"},`, 25) + `{}]}`)
)

// constants is the config, which the peer has as constants.
var constants = map[string]string{
	"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example",
	"client_id": "client", "client_secret": "the-secret", "customer_id": "c", "user_id": "u",
}

// guest is a plugin on a host.
type guest struct {
	call func(export string) ([]byte, error)
	sent func() string // the last request's Authorization
}

// plugins compares warm calls of the plugin with those of its peer: their CPU time and the memory of the host.
func plugins() error {
	header("call", "CPU", "memory", "CPU, of the peer's", "memory, of the peer's")
	for _, host := range []struct {
		name  string
		calls int // of a batch
		open  func([]byte) (guest, error)
	}{{"stub host", 2000, onStub}, {"go-sdk", 200, onSDK}} {
		ours, err := warm(host.open, "plugin/rostering.wasm")
		theirs, err2 := warm(host.open, "build/peer.wasm")
		if err := cmp.Or(err, err2); err != nil {
			return err
		}
		for _, export := range []string{"list_jobs", "get_token"} {
			own, ratios, err := compare(61, ours.batch(export, host.calls), theirs.batch(export, host.calls))
			if err != nil {
				return err
			}
			row(fmt.Sprintf("`%s`, %s", export, host.name), fmt.Sprintf("%.1f µs", own[0]*1e6/float64(host.calls)),
				fmt.Sprintf("%.0f KiB", own[1]/1024/float64(host.calls)), times(ratios[0]), times(ratios[1]))
		}
	}
	return nil
}

// batch makes calls, and returns their CPU time and the bytes that were allocated.
func (g guest) batch(export string, calls int) func() (cost, error) {
	return func() (cost, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpu(os.Getpid())
		for range calls {
			if _, err := g.call(export); err != nil {
				return nil, err
			}
		}
		took := cpu(os.Getpid()) - start
		runtime.ReadMemStats(&after)
		return cost{took, float64(after.TotalAlloc - before.TotalAlloc)}, nil
	}
}

// warm opens a plugin, and checks that each call does what is measured.
func warm(open func([]byte) (guest, error), file string) (g guest, err error) {
	wasm, err := os.ReadFile(filepath.Join(hosts.Root(), file))
	if err != nil {
		return g, err
	}
	if g, err = open(wasm); err != nil {
		return g, err
	}
	for range 3 {
		if got, err := g.call("list_jobs"); err != nil || !bytes.Equal(got, jobs) || g.sent() != "Bearer "+token {
			return g, fmt.Errorf("list_jobs of %s: %w, %.80q with the Authorization %.80q", file, err, got, g.sent())
		}
		if got, err := g.call("get_token"); err != nil || !bytes.Contains(got, []byte(token)) {
			return g, fmt.Errorf("get_token of %s: %w, %.80q", file, err, got)
		}
	}
	return g, nil
}

// onStub has a host whose functions do next to nothing, so that the plugin's own time is measured.
func onStub(wasm []byte) (guest, error) {
	ctx := context.Background()
	h, err := stubhost.New(ctx, wasm)
	if err != nil {
		return guest{}, err
	}
	var last []byte
	h.Config, h.Clock = constants, time.Unix(1_800_000_000, 0)
	h.Respond = func(request, body []byte) (int, []byte, error) {
		if last = request; body != nil {
			return http.StatusOK, tokenResponse, nil
		}
		return http.StatusOK, jobs, nil
	}
	return guest{func(export string) ([]byte, error) {
		output, failure, err := h.Call(ctx, export, "")
		if failure != "" {
			err = errors.New(failure)
		}
		return output, err
	}, func() string { return stubhost.Read(last).Headers["Authorization"] }}, nil
}

// onSDK has go-sdk. Responses do not come over a network.
func onSDK(wasm []byte) (guest, error) {
	ctx := context.Background()
	http.DefaultClient.Transport = &toService // which go-sdk sends with
	plugin, err := extism.NewPlugin(ctx, extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}, Config: constants, AllowedHosts: []string{"*"},
	}, extism.PluginConfig{
		EnableWasi: true, ModuleConfig: wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime(),
	}, nil)
	if err != nil {
		return guest{}, err
	}
	return guest{func(export string) ([]byte, error) {
		_, output, err := plugin.CallWithContext(ctx, export, nil)
		return output, err
	}, func() string { return toService.last.Header.Get("Authorization") }}, nil
}

// service responds to go-sdk's requests.
type service struct{ last *http.Request }

var toService service

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.last = r
	body := jobs
	if r.Method == http.MethodPost {
		body = tokenResponse
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}
