// Command demo shows what the Go library does, against a sandbox that it starts. It fails if a step sends other requests than
// it must, or has another result.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

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
	err := run(ctx, os.Stdout)
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
	{"The first call requests a token", (*demo).jobs, "/connect/token 200, /jobs 200"},
	{"The second call has a token already", (*demo).jobs, "/jobs 200"},
	{"A revoked token is replaced, and the request sent again", (*demo).revoked, "/jobs 401, /connect/token 200, /jobs 200"},
	{"The identity provider is down, and is not flooded", (*demo).down, "/jobs 401, /connect/token 503, /connect/token 200, /jobs 200"},
	{"An error explains how to fix it", (*demo).wrongSecret, "/connect/token 401"},
}

func run(ctx context.Context, out io.Writer) error {
	s, err := sandbox.Start(ctx, sandbox.Config{})
	if err != nil {
		return err
	}
	defer s.Close()
	id, secret := s.Client(sandbox.Stage)
	d := &demo{Sandbox: s, out: out, config: rostering.Config{
		Environment: rostering.Stage, AuthURL: s.AuthURL(), BaseURL: s.BaseURL(),
		ClientID: id, ClientSecret: rostering.Secret(secret), CustomerID: "sandbox-customer", UserID: "sandbox-user",
	}}
	if d.client, err = rostering.New(ctx, d.config); err != nil {
		return err
	}
	defer d.client.Close()
	d.line("The Go library with a made-up service: identity provider %s, jobs %s", s.AuthURL(), s.BaseURL())
	for i, step := range steps {
		d.line("\n%d  %s", i+1, step.title)
		if err := step.show(d, ctx); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if sent := d.requests(); sent != step.sends {
			return fmt.Errorf("step %d: it sent %q; want %q", i+1, sent, step.sends)
		}
	}
	d.line("\nAll %d steps passed.\n%s", len(steps), next)
	return nil
}

func (d *demo) line(format string, a ...any) { fmt.Fprintf(d.out, format+"\n", a...) }

// requests prints the requests that arrived since it was called last, and returns their paths and statuses.
func (d *demo) requests() string {
	var sent []string
	for _, r := range d.Requests()[d.shown:] {
		d.shown++
		sent = append(sent, fmt.Sprint(r.Target, " ", r.Status))
		d.line("   → %s %s ← %d", r.Method, r.Target, r.Status)
	}
	return strings.Join(sent, ", ")
}

func (d *demo) jobs(ctx context.Context) error {
	response, err := d.client.ListJobs(ctx)
	if err == nil {
		d.line("   client.ListJobs(ctx) returns %d bytes", len(response.Body))
	}
	return err
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
	d.line("   client.ListJobs(ctx) returns this error %d times, and only the first call sends requests:\n   %v", calls, failure)
	d.ClearFaults()
	d.line("   waiting %.1f s, until RetryAfter has passed …", failure.RetryAfter.Seconds())
	select {
	case <-time.After(failure.RetryAfter):
	case <-ctx.Done():
	}
	return d.jobs(ctx)
}

func (d *demo) wrongSecret(ctx context.Context) error {
	config := d.config
	config.ClientSecret = "not-the-secret"
	client, err := rostering.New(ctx, config)
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = client.GetToken(ctx)
	var failure *rostering.Error
	if !errors.As(err, &failure) || failure.Code != rostering.CodeTokenEndpointRejected {
		return fmt.Errorf("not the error %s: %w", rostering.CodeTokenEndpointRejected, err)
	}
	d.line("   client.GetToken(ctx) with a wrong secret returns: %v\n   Code: %q, Retryable: %v, Status: %d, OAuthError: %q",
		failure, failure.Code, failure.Retryable, failure.Status, failure.OAuthError)
	return nil
}
