package flow

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the diagram of the states into RATIONALE.md")

var stateNames = [...]string{
	"choosing", "reading_token", "taking_lock", "reading_lock", "waiting",
	"requesting", "writing_token", "writing_lock", "ended",
}

func (s State) String() string { return stateNames[s] }

// diagram draws the table of states for Mermaid.
func diagram() string {
	text := "```mermaid\nstateDiagram-v2\n    [*] --> " + Choosing.String() + "\n"
	for from, all := range next {
		for _, to := range all {
			text += "    " + State(from).String() + " --> " + to.String() + "\n"
		}
	}
	return text + "    " + Ended.String() + " --> [*]\n```\n"
}

// The diagram in RATIONALE.md is that of the table.
func TestDiagram(t *testing.T) {
	const file, command = "../../../RATIONALE.md", "go test ./plugin/core/flow -run Diagram -update"
	const begin, end = "<!-- states: written by " + command + " -->\n", "<!-- end of states -->\n"
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
		t.Errorf("%s draws another table: %s", file, command)
	}
}

// Every state has a name, can be reached from the first one, and leads to another, except the last.
func TestTableIsComplete(t *testing.T) {
	reached := map[State]bool{Choosing: true}
	for range next {
		for s := range reached {
			for _, to := range next[s] {
				reached[to] = true
			}
		}
	}
	names := map[string]bool{"": true}
	for s := Choosing; s <= Ended; s++ {
		if names[s.String()] || !reached[s] || (len(next[s]) > 0) == (s == Ended) {
			t.Errorf("state %d, %q, is reached: %v, and leads to %v", s, s, reached[s], next[s])
		}
		names[s.String()] = true
	}
}

// A state that does not follow is a mistake, which ends the call.
func TestUnlistedTransitionPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it leads on")
		}
	}()
	(&Flow{progress: progress{state: WritingLock}}).enter(Ended)
}
