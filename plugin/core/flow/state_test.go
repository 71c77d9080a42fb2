package flow

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the diagram of the states into README.md")

// eventNames are those of the diagram.
var eventNames = [...]string{
	"", "look in store", "take lock", "lock held", "request token", "lock to write", "wait", "token ready", "declined", "read",
	"tried", "read", "waited", "to the store", "ended", "written",
}

// diagram draws the table of transitions for Mermaid.
func diagram() string {
	text := "```mermaid\nstateDiagram-v2\n    [*] --> " + Choosing.String() + "\n"
	for _, t := range transitions {
		text += "    " + t.from.String() + " --> " + t.to.String() + " : " + eventNames[t.on] + "\n"
	}
	return text + "    " + Done.String() + " --> [*]\n    " + Failed.String() + " --> [*]\n```\n"
}

// The diagram in README.md is that of the table.
func TestDiagram(t *testing.T) {
	const file, begin, end = "README.md", "<!-- states -->\n", "<!-- end of states -->\n"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(b), begin)
	drawn, after, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Fatalf("%s has no place for it", file)
	case drawn == diagram():
	case *update:
		if err := os.WriteFile(file, []byte(before+begin+diagram()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s draws another table: go test ./plugin/core/flow -run Diagram -update", file)
	}
}

// Every state has its own name and, except the last two, leads to another; every event except
// the return of a step has a name too, and leads somewhere; no line is repeated.
func TestTableIsComplete(t *testing.T) {
	names, events := map[string]bool{}, map[Event]bool{}
	for s := Choosing; s <= Failed; s++ {
		leads := false
		for _, line := range transitions {
			leads = leads || line.from == s
			events[line.on] = true
		}
		if names[s.String()] || s.String() == "" {
			t.Errorf("state %d is named %q", s, s)
		}
		names[s.String()] = true
		if leads == (s >= Done) {
			t.Errorf("%s leads on: %v", s, leads)
		}
	}
	for on := stepReturned + 1; on <= written; on++ {
		if !events[on] || eventNames[on] == "" {
			t.Errorf("event %d, %q, leads nowhere or has no name", on, eventNames[on])
		}
	}
	seen := map[transition]bool{}
	for _, line := range transitions {
		key := transition{from: line.from, on: line.on}
		if seen[key] {
			t.Errorf("%s: %q stands twice", line.from, eventNames[line.on])
		}
		seen[key] = true
	}
}

// Every state can be reached from the first one, and leads to an end.
func TestEveryStateIsReached(t *testing.T) {
	reached := map[State]bool{Choosing: true}
	for range transitions {
		for _, line := range transitions {
			if reached[line.from] {
				reached[line.to] = true
			}
		}
	}
	for s := Choosing; s <= Failed; s++ {
		if !reached[s] {
			t.Errorf("%s is never reached", s)
		}
	}
}

// An event without a line is a mistake, which ends the call.
func TestUnlistedTransitionPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it leads on")
		}
	}()
	after(WritingLock, tokenReady)
}
