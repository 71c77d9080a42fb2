// Command demo shows what the Go library does, against a sandbox that it starts. It fails if a step sends other requests than
// it must, or has another result.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	rostering "automatic-rostering.example/rostering/sdk/go"
	"automatic-rostering.example/sandbox"
)

const next = `
What to do next:
  make run-python             the same client in another language: run-go, run-node, run-java, run-rust, run-c
  make sandbox PORT=8080      a mock service to develop against, with a page that shows requests and switches faults
  README.md, "Use it"         install the library of a language
`

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal("demo: ", err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	s, err := sandbox.Start(ctx, sandbox.Config{})
	if err != nil {
		return err
	}
	defer s.Close()
	id, secret := s.Client(sandbox.Stage)
	config := rostering.Config{
		Environment: rostering.Stage, AuthURL: s.AuthURL(), BaseURL: s.BaseURL(),
		ClientID: id, ClientSecret: rostering.NewSecret(secret), CustomerID: "sandbox-customer", UserID: "sandbox-user",
	}
	var later time.Duration // than now, by the client's clock
	clock := func() time.Time { return time.Now().Add(later) }
	client, err := rostering.New(ctx, config, rostering.WithClock(clock))
	if err != nil {
		return err
	}
	defer client.Close()
	line := func(format string, a ...any) { fmt.Fprintf(out, format+"\n", a...) }
	jobs := func() error {
		response, err := client.ListJobs(ctx)
		if err == nil {
			line("   client.ListJobs(ctx) returns %d bytes", len(response.Body))
		}
		return err
	}
	// A service may learn of a token late, so one that is refused is kept for its first seconds.
	revoked := func() error {
		later += 5 * time.Second
		s.Revoke()
		return jobs()
	}
	// The calls after a failed token request send nothing until its Retry-After has passed.
	down := func() error {
		// A shorter Retry-After is waited out.
		busy := sandbox.Fault{Status: http.StatusServiceUnavailable, Headers: map[string]string{"Retry-After": "8"}}
		if err := s.SetFault(sandbox.AuthServer, busy); err != nil {
			return err
		}
		later += 5 * time.Second
		s.Revoke()
		const calls = 10
		var failure *rostering.Error
		for range calls {
			if _, err := client.ListJobs(ctx); !errors.As(err, &failure) || failure.Code != rostering.CodeTokenEndpointUnavailable {
				return fmt.Errorf("not the error %s: %w", rostering.CodeTokenEndpointUnavailable, err)
			}
		}
		line("   client.ListJobs(ctx) returns this error %d times, and only the first call sends requests:\n   %v", calls, failure)
		s.ClearFaults()
		line("   waiting %.1f s, until RetryAfter has passed …", failure.RetryAfter.Seconds())
		time.Sleep(failure.RetryAfter)
		return jobs()
	}
	wrongSecret := func() error {
		config.ClientSecret = rostering.NewSecret("not-the-secret")
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
		line("   client.GetToken(ctx) with a wrong secret returns this error:\n   %v", failure)
		return nil
	}

	line("The Go library with a made-up service: identity provider %s, jobs %s", s.AuthURL(), s.BaseURL())
	shown := 0 // requests of the sandbox's journal
	for i, step := range []struct {
		title string
		show  func() error
		sends string // paths and statuses
	}{
		{"The first call requests a token", jobs, "/connect/token 200, /jobs 200"},
		{"The second call has a token already", jobs, "/jobs 200"},
		{"A revoked token is replaced, and the request sent again", revoked, "/jobs 401, /connect/token 200, /jobs 200"},
		{"The identity provider is down, and is not flooded", down, "/jobs 401, /connect/token 503, /connect/token 200, /jobs 200"},
		{"An error explains how to fix it", wrongSecret, "/connect/token 401"},
	} {
		line("\n%d  %s", i+1, step.title)
		if err := step.show(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		var sent []string
		for _, r := range s.Requests()[shown:] {
			shown++
			sent = append(sent, fmt.Sprint(r.Target, " ", r.Status))
			line("   → %s %s ← %d", r.Method, r.Target, r.Status)
		}
		if sent := strings.Join(sent, ", "); sent != step.sends {
			return fmt.Errorf("step %d: it sent %q; want %q", i+1, sent, step.sends)
		}
	}
	line("\nAll 5 steps passed.\n%s", next)
	return nil
}
