package call_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/plugin/internal/call"
)

const (
	noon   = 1_800_000_000 // when a test begins
	secret = "s3cret/with+odd&signs%"
)

// host is a call.Host in memory.
type host struct {
	t      *testing.T
	config map[string]string
	vars   map[string][]byte
	now    int64
	log    []string // each line behind "debug: " or "warn: "
	tokens []string // all that a token endpoint gave, which must not show
	held   []byte   // the var of the last Hold

	writes, trapAt int // SetVar traps the trapAt-th time

	room     int  // for a var, 0 for any: a larger one is not kept,
	roomEnds bool // or traps
}

func newHost(t *testing.T) *host {
	return &host{t: t, now: noon, vars: map[string][]byte{}, config: map[string]string{
		"environment":   "stage",
		"auth_url":      "https://auth.example/id/",
		"base_url":      "https://api.example/v1",
		"client_id":     "client",
		"client_secret": secret,
		"customer_id":   "c0",
		"user_id":       "u0",
	}}
}

func (h *host) Config(key string) string { return h.config[key] }
func (h *host) Var(name string) []byte   { return slices.Clone(h.vars[name]) }
func (h *host) Now() int64               { return h.now }

// trap is what a test host panics with where a real one ends the call.
type trap struct{}

func (h *host) SetVar(name string, value []byte) {
	if h.writes++; h.writes == h.trapAt {
		panic(trap{})
	}
	if h.room > 0 && len(value) > h.room {
		if h.roomEnds {
			panic(trap{})
		}
		return
	}
	if len(value) == 0 {
		delete(h.vars, name)
		return
	}
	h.vars[name] = slices.Clone(value)
}

func (h *host) Words(name string) (first, second uint64, ok bool) {
	b := h.vars[name]
	if len(b) < 16 {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), true
}

func (h *host) LogVar(name string) bool {
	line, ok := h.vars[name]
	if ok {
		h.Log(call.Debug, string(line))
	}
	return ok
}

func (h *host) Hold(name string) bool {
	h.held = h.Var(name)
	return h.held != nil
}

func (h *host) Log(level call.Level, line string) {
	if level == call.Warn {
		line = "warn: " + line
	} else {
		line = "debug: " + line
	}
	h.checkHidden("a log line", line)
	h.log = append(h.log, line)
}

// checkHidden wants no secret and no token in a text that others see.
func (h *host) checkHidden(what, text string) {
	h.t.Helper()
	for _, hidden := range append([]string{secret}, h.tokens...) {
		if strings.Contains(text, hidden) {
			h.t.Errorf("%s holds %q: %s", what, hidden, text)
		}
	}
}

// wantLog wants these log lines since the last look, a warning by its level alone.
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
