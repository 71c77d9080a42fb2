package model

import (
	"strings"

	"automatic-rostering/plugin/core/host"
)

// invariants is what a flow is checked for, whatever the model says.
type invariants struct {
	before   facts
	force    bool
	requests int
	waits    int
}

func (i invariants) resumed(string) invariants { return i }

// check checks what holds for every output.
func (w *world) check(b *running, r host.Result) {
	text := string(r.Text)
	request := b.last.kind == "request"
	if !request {
		w.holdsNoSecret(text)
	}
	if strings.Contains(b.core, "TOKEN-") {
		w.fail("a flow has no token", "%s", b.core)
	}
	for _, line := range w.logs {
		w.holdsNoSecret(line)
		if strings.Contains(line, "TOKEN-") {
			w.fail("a log line has no token", "%s", line)
		}
	}
	w.logs = w.logs[:0]
}

func (w *world) holdsNoSecret(text string) {
	if strings.Contains(text, "SECRETpass") {
		w.fail("nothing has the secret", "%s", text)
	}
}
