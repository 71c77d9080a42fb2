// Command demo shows what the plugin and the Go library do, against a sandbox that it starts. It fails if
// a step sends other requests than it must, or has another result.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	extism "github.com/extism/go-sdk"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/sandbox"
)

const next = `
What to do next:
  make run-python             the same client in another language: run-go, run-node, run-java, run-rust, run-c
  make sandbox PORT=8080      a mock service to develop against, with a page that shows requests and switches faults
  README.md, "Use it"         install the library of a language
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, "../plugin/rostering-nowasi.wasm")
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// demo is a run in progress.
type demo struct {
	*sandbox.Sandbox
	out    io.Writer
	wasm   []byte
	config rostering.Config
	client *rostering.Client
	shown  int // requests of the sandbox's journal
}

// steps are what it shows, with the requests that each must send: their paths and statuses.
var steps = []struct {
	title string
	show  func(*demo, context.Context) error
	sends string
}{
	{"The plugin alone, in a plain Extism SDK: a token, then the jobs", (*demo).alone, "/connect/token 200, /jobs 200"},
	{"The Go library: its first call does the same", (*demo).jobs, "/connect/token 200, /jobs 200"},
	{"The second call has a token already", (*demo).jobs, "/jobs 200"},
	{"A token that expires is renewed", (*demo).expires, "/connect/token 200, /connect/token 200, /jobs 200"},
	{"A revoked token is replaced, and the request sent again", (*demo).revoked, "/jobs 401, /connect/token 200, /jobs 200"},
	{"The identity provider is down, and is not flooded", (*demo).down, "/jobs 401, /connect/token 503, /connect/token 200, /jobs 200"},
	{"An error explains how to fix it", (*demo).wrongSecret, "/connect/token 401"},
}

func run(ctx context.Context, out io.Writer, wasm string) error {
	file, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	s, err := sandbox.Start(ctx, sandbox.Config{})
	if err != nil {
		return err
	}
	defer s.Close()
	id, secret := s.Client(sandbox.Stage)
	d := &demo{Sandbox: s, out: out, wasm: file, config: rostering.Config{
		Environment: rostering.Stage, AuthURL: s.AuthURL(), BaseURL: s.BaseURL(),
		ClientID: id, ClientSecret: rostering.Secret(secret), CustomerID: "sandbox-customer", UserID: "sandbox-user",
		RefreshMargin: time.Second,
	}}
	if d.client, err = rostering.New(ctx, d.config, rostering.WithPlugin(d.wasm)); err != nil {
		return err
	}
	defer d.client.Close()
	d.line("The Automatic Rostering plugin with a made-up service: identity provider %s, jobs %s", s.AuthURL(), s.BaseURL())
	for i, step := range steps {
		d.line("\n%d  %s", i+1, step.title)
		if err := step.show(d, ctx); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if sent := d.requests(i == 0); sent != step.sends {
			return fmt.Errorf("step %d: it sent %q; want %q", i+1, sent, step.sends)
		}
	}
	d.line("\nAll %d steps passed.\n%s", len(steps), next)
	return nil
}

func (d *demo) line(format string, a ...any) { fmt.Fprintf(d.out, format+"\n", a...) }

// requests prints the requests that arrived since it was called last, and returns their paths and statuses.
func (d *demo) requests(whole bool) string {
	var sent []string
	for _, r := range d.Requests()[d.shown:] {
		d.shown++
		sent = append(sent, fmt.Sprint(r.Target, " ", r.Status))
		d.line("   → %s %s ← %d", r.Method, r.Target, r.Status)
		if whole {
			d.fields("     %s: %s", r.Headers)
			d.fields("        %s=%s", r.Form)
		}
	}
	return strings.Join(sent, ", ")
}

// fields prints headers or fields without their secrets.
func (d *demo) fields(format string, values map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		if name == "authorization" || name == "client_secret" {
			value = fmt.Sprintf("(hidden, %d characters)", len(value))
		}
		d.line("   "+format, name, value)
	}
}

// alone calls the plugin through Extism's SDK, without the library: it sends its requests by itself.
func (d *demo) alone(ctx context.Context) error {
	plugin, err := extism.NewPlugin(ctx, extism.Manifest{
		Wasm:         []extism.Wasm{extism.WasmData{Data: d.wasm}},
		AllowedHosts: []string{"127.0.0.1"},
		Config: map[string]string{
			"environment": string(d.config.Environment), "auth_url": d.config.AuthURL, "base_url": d.config.BaseURL,
			"client_id": d.config.ClientID, "client_secret": string(d.config.ClientSecret),
			"customer_id": d.config.CustomerID, "user_id": d.config.UserID,
		},
	}, extism.PluginConfig{}, nil)
	if err != nil {
		return err
	}
	defer plugin.Close(context.WithoutCancel(ctx))
	_, jobs, err := plugin.Call("list_jobs", fmt.Appendf(nil, `{"now":%d}`, time.Now().Unix()))
	d.line(`   plugin.Call("list_jobs", {"now": …}) returns %d bytes`, len(jobs))
	return err
}

func (d *demo) jobs(ctx context.Context) error {
	response, err := d.client.ListJobs(ctx)
	if err != nil {
		return err
	}
	d.line("   client.ListJobs(ctx) returns %d bytes", len(response.Body))
	return nil
}

func (d *demo) expires(ctx context.Context) error {
	if err := d.SetLifetime(3 * time.Second); err != nil {
		return err
	}
	token, err := d.client.GetToken(ctx, rostering.Force())
	if err := errors.Join(err, d.SetLifetime(sandbox.DefaultLifetime)); err != nil {
		return err
	}
	d.wait(ctx, time.Until(token.ExpiresAt), "the new token expires")
	return d.jobs(ctx)
}

func (d *demo) revoked(ctx context.Context) error {
	d.Revoke()
	return d.jobs(ctx)
}

// down shows that the calls after a failed token request send nothing until its Retry-After has passed.
func (d *demo) down(ctx context.Context) error {
	busy := sandbox.Fault{Status: http.StatusServiceUnavailable, Headers: map[string]string{"Retry-After": "8"}} // a shorter one is waited out
	if err := d.SetFault(sandbox.AuthServer, busy); err != nil {
		return err
	}
	d.Revoke()
	var failure *rostering.Error
	const calls = 10
	for range calls {
		if _, err := d.client.ListJobs(ctx); !errors.As(err, &failure) || failure.Code != rostering.CodeTokenEndpointUnavailable {
			return fmt.Errorf("not the error %s: %w", rostering.CodeTokenEndpointUnavailable, err)
		}
	}
	d.line("   client.ListJobs(ctx) returns this error %d times, and only the first call sends requests:", calls)
	d.line("   %v", failure)
	d.ClearFaults()
	d.wait(ctx, failure.RetryAfter, "RetryAfter has passed")
	return d.jobs(ctx)
}

func (d *demo) wrongSecret(ctx context.Context) error {
	config := d.config
	config.ClientSecret = "not-the-secret"
	client, err := rostering.New(ctx, config, rostering.WithPlugin(d.wasm))
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = client.GetToken(ctx)
	var failure *rostering.Error
	if !errors.As(err, &failure) || failure.Code != rostering.CodeTokenEndpointRejected || failure.OAuthError != "invalid_client" {
		return fmt.Errorf("not the error %s: %w", rostering.CodeTokenEndpointRejected, err)
	}
	d.line("   client.GetToken(ctx) with a wrong secret returns: %v", failure)
	d.line("   Code: %q, Retryable: %v, Status: %d, OAuthError: %q", failure.Code, failure.Retryable, failure.Status, failure.OAuthError)
	return nil
}

// wait waits for a while, and prints for what. The calls after it fail if ctx has ended.
func (d *demo) wait(ctx context.Context, pause time.Duration, until string) {
	d.line("   waiting %.1f s, until %s …", pause.Seconds(), until)
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
}
