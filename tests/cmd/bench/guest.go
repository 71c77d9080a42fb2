package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// guest is a plugin on a host, which gets a token and lists the jobs.
type guest interface {
	call(ctx context.Context, export string) ([]byte, error)
	sent() (sentRequest, error) // the last request
	close(ctx context.Context)
}

// sentRequest is what matters of a request.
type sentRequest struct {
	URL     string
	Headers map[string]string
}

// What the peers in tests/bench/peers have built in.
var config = map[string]string{
	"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example",
	"client_id": "client", "client_secret": "the-secret", "customer_id": "c", "user_id": "u",
}

var (
	accessToken = strings.Repeat("t", 900)
	tokenAnswer = fmt.Appendf(nil, `{"access_token":%q,"token_type":"Bearer","expires_in":86400}`, accessToken)
	jobsAnswer  = []byte(jobs)
)

// source is a plugin's file.
type source struct {
	name string
	wasm []byte
}

// sources reads our plugin and the peers that tests/bench/peers/build.sh could build.
func sources() (all []source, err error) {
	for _, f := range []struct{ name, path string }{
		{ours, "../dist/rostering.wasm"},
		{cPrepared, "../build/peers/c-prepared.wasm"},
		{c, "../build/peers/c.wasm"},
		{rust, "../build/peers/rust.wasm"},
		{"TinyGo, go-pdk", "../build/peers/tinygo.wasm"},
		{"Go, go-pdk", "../build/peers/go.wasm"},
		{"AssemblyScript, as-pdk", "../build/peers/assemblyscript.wasm"},
	} {
		wasm, err := os.ReadFile(filepath.FromSlash(f.path))
		if os.IsNotExist(err) && f.name != ours {
			continue // build.sh has said why
		}
		if err != nil {
			return nil, err
		}
		all = append(all, source{f.name, wasm})
	}
	return all, nil
}

const (
	ours      = "this plugin"
	cPrepared = "C, prepared request"
	c         = "C"
	rust      = "Rust, extism-pdk"
)

// prove makes sure that a guest does what it is measured for.
func prove(ctx context.Context, g guest) error {
	for range 3 { // without a token, with one, and once more
		body, err := g.call(ctx, "list_jobs")
		if err != nil {
			return err
		}
		if !bytes.Equal(body, jobsAnswer) {
			return fmt.Errorf("list_jobs gives %.80q", body)
		}
		r, err := g.sent()
		if err != nil {
			return err
		}
		h := r.Headers
		if r.URL != "https://service.example/jobs" || h["Authorization"] != "Bearer "+accessToken || h["CUSTOMER_ID"] != "c" || h["USER_ID"] != "u" {
			return fmt.Errorf("list_jobs sends %.200v", r)
		}
		token, err := g.call(ctx, "get_token")
		if err != nil {
			return err
		}
		if !bytes.Contains(token, []byte(accessToken)) {
			return fmt.Errorf("get_token gives %.80q", token)
		}
	}
	return nil
}

// sdk is a plugin on go-sdk; responses come without a network.
type sdk struct{ plugin *extism.Plugin }

func openSDK(ctx context.Context, wasm []byte) (guest, error) {
	compiled, err := compile(ctx, wasm)
	if err != nil {
		return nil, err
	}
	plugin, err := instance(ctx, compiled)
	return &sdk{plugin}, err
}

func compile(ctx context.Context, wasm []byte, functions ...extism.HostFunction) (*extism.CompiledPlugin, error) {
	http.DefaultClient.Transport = wire
	manifest := extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}, Config: config, AllowedHosts: []string{"*.example"}}
	return extism.NewCompiledPlugin(ctx, manifest, extism.PluginConfig{EnableWasi: true}, functions)
}

func instance(ctx context.Context, compiled *extism.CompiledPlugin) (*extism.Plugin, error) {
	return compiled.Instance(ctx, extism.PluginInstanceConfig{ModuleConfig: wazero.NewModuleConfig().WithSysWalltime()})
}

func (s *sdk) close(ctx context.Context) { s.plugin.Close(ctx) }

func (s *sdk) call(_ context.Context, export string) ([]byte, error) {
	_, output, err := s.plugin.Call(export, nil)
	return output, err
}

func (s *sdk) sent() (sentRequest, error) {
	r := sentRequest{wire.last.URL.String(), map[string]string{}}
	for _, name := range []string{"Authorization", "CUSTOMER_ID", "USER_ID"} {
		r.Headers[name] = wire.last.Header.Get(name)
	}
	return r, nil
}

// wire takes the place of the network: go-sdk sends by http.DefaultClient.
var wire = &network{jobs: jobsAnswer}

type network struct {
	jobs []byte
	last *http.Request
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.last = r
	body := n.jobs
	if r.Method == http.MethodPost {
		body = tokenAnswer
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}
