package call_test

import (
	"slices"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/memory"
)

const (
	noon   = 1_800_000_000 // when a test begins
	secret = "s3cret/with+odd&signs%"
)

// host is a host in memory that checks what it gets.
type host struct {
	*memory.Host
	t      *testing.T
	log    []string // each line after "debug: " or "warn: "
	tokens []string // all that a token endpoint granted, which must not be visible

	room     int  // for a var, 0 for any: a larger one is not kept,
	roomEnds bool // or traps
}

func newHost(t *testing.T) *host {
	h := &host{t: t, Host: memory.New(map[string]string{
		"environment":   "stage",
		"auth_url":      "https://auth.example/id/",
		"base_url":      "https://api.example/v1",
		"client_id":     "client",
		"client_secret": secret,
		"customer_id":   "c0",
		"user_id":       "u0",
	})}
	h.Clock, h.Keeps = noon, h.keeps
	h.Logged = func(level call.Level, line string) {
		line = map[call.Level]string{call.Debug: "debug: ", call.Warn: "warn: "}[level] + line
		h.checkHidden("a log line", line)
		h.log = append(h.log, line)
	}
	return h
}

// trap is what a test host panics with when a real one would end the call.
type trap struct{}

// traps runs a part of a test that may be cut off.
func traps(part func()) (trapped bool) {
	defer func() {
		if r := recover(); r == (trap{}) {
			trapped = true
		} else if r != nil {
			panic(r)
		}
	}()
	part()
	return false
}

func (h *host) keeps(_ string, value []byte) bool {
	fits := h.room == 0 || len(value) <= h.room
	if !fits && h.roomEnds {
		panic(trap{})
	}
	return fits
}

// checkHidden wants no secret and no token in a string that others see.
func (h *host) checkHidden(what, text string) {
	h.t.Helper()
	for _, hidden := range append([]string{secret}, h.tokens...) {
		if strings.Contains(text, hidden) {
			h.t.Errorf("%s holds %q: %s", what, hidden, text)
		}
	}
}

// wantLog wants these log lines since the last check, a warning by its level alone.
func (h *host) wantLog(want ...string) {
	h.t.Helper()
	got := slices.Clone(h.log)
	for i := range got {
		if strings.HasPrefix(got[i], "warn: ") {
			got[i] = "warn"
		}
	}
	if !slices.Equal(got, want) {
		h.t.Errorf("log: got %q, want %q", h.log, want)
	}
	h.log = nil
}
