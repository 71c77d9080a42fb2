package rostering_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
)

// The plugin costs the host 200 KB for a call; net/http, about 7.
func TestAWarmCallNeedsNoPlugin(t *testing.T) {
	const calls, most = 100, 40_000
	release := make(chan struct{})
	close(release)
	client := newClient(t, fullConfig, service(release))
	for name, call := range map[string]func() error{
		"ListJobs": func() error { _, err := client.ListJobs(t.Context()); return err },
		"GetToken": func() error { _, err := client.GetToken(t.Context()); return err },
		"SendRequest": func() error {
			_, err := client.ForNoUser().SendRequest(t.Context(), rostering.Request{Path: "/mine"})
			return err
		},
	} {
		var before, after runtime.MemStats
		for n := range calls + 2 { // the first has no token, the second no step yet
			if n == 2 {
				runtime.ReadMemStats(&before)
			}
			if err := call(); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) / calls; got > most {
			t.Errorf("%s allocates %d bytes", name, got)
		}
	}
}

func TestAWarmCallHasTheTokenOfNow(t *testing.T) {
	now := time.Now()
	s, client := open(t, rostering.WithClock(func() time.Time { return now }))
	var tokens []string
	lists := func(views ...*rostering.Client) {
		t.Helper()
		for _, view := range append(views, client, client) {
			wantJobs(t, view)
			sent := s.Requests("jobs")
			tokens = append(tokens, sent[len(sent)-1].Headers["authorization"])
		}
	}
	lists()
	first, err := client.GetToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lists(client.ForCustomer("another"), client.ForUser("another"))
	wantTokens := func(different int) {
		t.Helper()
		if got := len(slices.Compact(slices.Clone(tokens))); got != different {
			t.Errorf("%d tokens were sent, want %d", got, different)
		}
	}
	wantTokens(1)
	if _, err := client.GetToken(t.Context(), rostering.Force()); err != nil {
		t.Fatal(err)
	}
	lists()
	wantTokens(2)
	if err := client.SetToken(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	lists()
	wantTokens(3)
	if err := client.ClearToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	lists()
	wantTokens(4)
	if _, err := client.GetToken(t.Context(), rostering.Refused(rostering.Secret(tokens[len(tokens)-1][len("Bearer "):]))); err != nil {
		t.Fatal(err)
	}
	lists()
	wantTokens(5)
	s.Revoke()
	lists()
	wantTokens(6)
	now = now.Add(59*time.Minute + time.Second) // the time of the renewal
	lists()
	wantTokens(7)
}

// Each path is a step of its own.
func TestManyDifferentCalls(t *testing.T) {
	release := make(chan struct{})
	close(release)
	client := newClient(t, fullConfig, service(release))
	for n := range 250 {
		if _, err := client.SendRequest(t.Context(), rostering.Request{Path: fmt.Sprint("/", n)}); err != nil {
			t.Fatal(err)
		}
	}
}
