package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"automatic-rostering/tests/runner/hosts"
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

// guest is a plugin on go-sdk.
type guest struct{ *extism.Plugin }

// plugins compares warm calls of the plugin on go-sdk with those of its peer: their CPU time and the memory of the host.
func plugins() error {
	header("call", "CPU", "memory", "CPU, of the peer's", "memory, of the peer's")
	const calls = 200 // of a batch
	ours, err := warm("plugin/rostering.wasm")
	theirs, err2 := warm("build/peer.wasm")
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	for _, export := range []string{"list_jobs", "get_token"} {
		own, ratios, err := compare(61, ours.batch(export, calls), theirs.batch(export, calls))
		if err != nil {
			return err
		}
		row(fmt.Sprintf("`%s`", export), fmt.Sprintf("%.1f µs", own[0]*1e6/calls), fmt.Sprintf("%.0f KiB", own[1]/1024/calls),
			times(ratios[0]), times(ratios[1]))
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
			if _, _, err := g.Call(export, nil); err != nil {
				return nil, err
			}
		}
		took := cpu(os.Getpid()) - start
		runtime.ReadMemStats(&after)
		return cost{took, float64(after.TotalAlloc - before.TotalAlloc)}, nil
	}
}

// warm opens a plugin, and checks that each call does what is measured. Responses do not come over a network.
func warm(file string) (g guest, err error) {
	http.DefaultClient.Transport = &toService // which go-sdk sends with
	g.Plugin, err = extism.NewPlugin(context.Background(), extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmFile{Path: filepath.Join(hosts.Root(), file)}}, Config: constants, AllowedHosts: []string{"*"},
	}, extism.PluginConfig{
		EnableWasi: true, ModuleConfig: wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime(),
	}, nil)
	if err != nil {
		return g, err
	}
	for range 3 {
		_, got, err := g.Call("list_jobs", nil)
		if sent := toService.last.Header.Get("Authorization"); err != nil || !bytes.Equal(got, jobs) || sent != "Bearer "+token {
			return g, fmt.Errorf("list_jobs of %s: %w, %.80q with the Authorization %.80q", file, err, got, sent)
		}
		if _, got, err = g.Call("get_token", nil); err != nil || !bytes.Contains(got, []byte(token)) {
			return g, fmt.Errorf("get_token of %s: %w, %.80q", file, err, got)
		}
	}
	return g, nil
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
