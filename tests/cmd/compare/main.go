// Command compare repeats the part of docs/compare.md that can run: each client makes the same calls
// to the sandbox, with the same faults, and the token requests are counted.
//
//	go run ./cmd/compare FOLDER ../docs/compare.md
//
// FOLDER is where tests/compare/run.sh has installed the clients. The table goes into the document.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"automatic-rostering.example/sandbox"

	"automatic-rostering/tests/report"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "x/oauth2" {
		serveOAuth2()
		return
	}
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: compare FOLDER DOCUMENT")
		os.Exit(2)
	}
	if err := compare(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// client is a program that makes calls with a library.
type client struct {
	name    string
	command []string
	config  []string // further variables
	// A token of that lifetime is due for renewal after due, and the next one is not yet.
	lifetime, due time.Duration
}

func clients() []client {
	python := "venv/bin/python"
	self, _ := os.Executable()
	return []client{
		{"plugin", []string{"node", "plugin.js"}, []string{"ROSTERING_REFRESH_MARGIN=3"}, 6 * time.Second, 3500 * time.Millisecond},
		{"openid-client", []string{"node", "openid-client.js"}, nil, time.Minute, time.Second},
		{"Authlib", []string{python, "authlib_sync.py"}, nil, 62 * time.Second, 3 * time.Second},
		{"Authlib, async", []string{python, "authlib_async.py"}, nil, 62 * time.Second, 3 * time.Second},
		{"x/oauth2", []string{self, "x/oauth2"}, nil, 13 * time.Second, 4 * time.Second},
		{"MSAL, Node", []string{"node", "msal.js"}, nil, 302 * time.Second, 3 * time.Second},
		{"MSAL, Python", []string{python, "msal_client.py"}, nil, 302 * time.Second, 3 * time.Second},
	}
}

// slow makes concurrent token requests overlap.
var slow = sandbox.Fault{DelayMS: 1000}

// trial is one client with its own sandbox.
type trial struct {
	*sandbox.Sandbox
	client
	*program
}

// rows are what docs/compare.md says of each client, as far as it can run.
var rows = []struct {
	name string
	run  func(t *trial) string
}{
	{"token requests of 3 calls, one after another", func(t *trial) string {
		for range 3 {
			t.must(1)
		}
		return t.requests()
	}},
	{"token requests of 50 concurrent calls, no token yet", func(t *trial) string {
		t.fault(slow)
		t.must(50)
		return t.requests()
	}},
	{"token requests of 10 concurrent calls, renewal due", func(t *trial) string {
		t.must(1)
		time.Sleep(t.due)
		before := t.Counts().TokenRequests
		t.fault(slow)
		t.must(10)
		time.Sleep(2 * time.Second) // for a renewal in the background
		return fmt.Sprint(t.Counts().TokenRequests - before)
	}},
	{"recovers from a revoked token", func(t *trial) string {
		t.must(1)
		t.Revoke()
		return yes(len(t.call(1)) == 0)
	}},
	{"backs off after a 503 of the token endpoint", func(t *trial) string {
		return t.backsOff(sandbox.Fault{Status: http.StatusServiceUnavailable}, 0)
	}},
	{"honors its Retry-After: 5, after 1.5 s", func(t *trial) string {
		return t.backsOff(sandbox.Fault{Status: http.StatusTooManyRequests, Headers: map[string]string{"Retry-After": "5"}}, 1500*time.Millisecond)
	}},
	{"uses a valid token while the provider is down", func(t *trial) string {
		t.must(1)
		time.Sleep(t.due)
		t.fault(sandbox.Fault{Status: http.StatusServiceUnavailable})
		return yes(len(t.call(1)) == 0)
	}},
	{"keeps the secret out of errors, if the provider repeats it", func(t *trial) string {
		_, secret := t.Client(sandbox.Stage)
		t.fault(sandbox.Fault{
			Status: http.StatusBadRequest, Headers: map[string]string{"Content-Type": "application/json"},
			Body: fmt.Sprintf(`{"error":"invalid_request","error_description":"bad secret %s"}`, secret),
		})
		errors := t.call(1)
		if len(errors) == 0 {
			return "no error"
		}
		return yes(!strings.Contains(strings.Join(errors, ""), secret))
	}},
	{"forwards the secret on a 307", func(t *trial) string {
		_, secret := t.Client(sandbox.Stage)
		t.fault(sandbox.Fault{Status: http.StatusTemporaryRedirect, Headers: map[string]string{"Location": t.BaseURL() + "/elsewhere"}})
		t.call(1)
		for _, r := range t.Requests() {
			if r.Server == sandbox.JobsServer && strings.Contains(r.Body, secret) {
				return "yes"
			}
		}
		return "no"
	}},
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// must makes calls that have to succeed: otherwise what follows compares nothing.
func (t *trial) must(calls int) {
	if errors := t.call(calls); len(errors) > 0 {
		panic(fmt.Errorf("%s: %.500s", t.name, errors[0]))
	}
}

func (t *trial) requests() string { return fmt.Sprint(t.Counts().TokenRequests) }

func (t *trial) fault(f sandbox.Fault) {
	if err := t.SetFault(sandbox.AuthServer, f); err != nil {
		panic(err)
	}
}

// backsOff reports whether a call that comes so long after a failed one makes no token request.
func (t *trial) backsOff(f sandbox.Fault, later time.Duration) string {
	t.fault(f)
	t.call(1)
	time.Sleep(later)
	before := t.Counts().TokenRequests
	t.call(1)
	return yes(t.Counts().TokenRequests == before)
}

func compare(ctx context.Context, folder, document string) error {
	var head, line, table strings.Builder
	head.WriteString("| |")
	line.WriteString("| --- |")
	for _, c := range clients() {
		fmt.Fprintf(&head, " %s |", c.name)
		line.WriteString(" --- |")
	}
	for _, row := range rows {
		fmt.Fprintf(&table, "| %s |", row.name)
		for _, c := range clients() {
			cell, err := try(ctx, folder, c, row.run)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", row.name, c.name, err)
			}
			fmt.Fprintf(&table, " %s |", cell)
		}
		table.WriteString("\n")
	}
	text := head.String() + "\n" + line.String() + "\n" + table.String()
	fmt.Print(text)
	return report.Fill(document, "make compare", map[string]string{"runs": text})
}

// try runs a row with a new client and a new sandbox.
func try(ctx context.Context, folder string, c client, run func(*trial) string) (cell string, err error) {
	s, err := sandbox.Start(ctx, sandbox.Config{})
	if err != nil {
		return "", err
	}
	defer s.Close()
	if err := s.SetLifetime(c.lifetime); err != nil {
		return "", err
	}
	p, err := start(ctx, folder, s, c)
	if err != nil {
		return "", err
	}
	defer p.end()
	defer func() {
		if failure, ok := recover().(error); ok {
			err = failure
		}
	}()
	return run(&trial{s, c, p}), nil
}
