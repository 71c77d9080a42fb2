package main

import (
	"context"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
)

func TestCases(t *testing.T) {
	prepare(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, err := c.run(t.Context(), 10)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d processes, %d calls, %d token requests", r.processes, r.calls, r.requests)
		})
	}
}

func TestCasesThatGoWrong(t *testing.T) {
	prepare(t)
	none := func(context.Context, *fleet) error { return nil }
	slow := func(context.Context, *fleet) error { return errSlow }
	for name, c := range map[string]fleetCase{
		"0 token requests, not 1 to 2": {play: none, least: exactly(1), most: each},
		"1 token requests, not 0 to 0": {play: begin, least: exactly(0), most: exactly(0)},
		"ended in the middle":          {play: killed, least: exactly(0), most: each},
		"too slow":                     {play: slow, least: each, most: each},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := c.run(t.Context(), 2); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func killed(_ context.Context, f *fleet) error {
	f.workers[0].kill()
	return f.call(1)
}

// prepare sees to it that all is there that a fleet needs.
func prepare(t *testing.T) {
	t.Helper()
	if err := checkRedis(); err != nil {
		hosts.LeaveOut(t, err.Error())
	}
	for _, p := range programs {
		if !hosts.Wanted(p.language) {
			t.Skipf("HOSTS leaves %s out", p.language)
		}
		if p.language != "go" {
			hosts.Setup(t, p.language)
		}
	}
	if err := build(t.Context()); err != nil {
		t.Fatal(err)
	}
}
