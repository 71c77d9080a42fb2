package model_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"testing"
	"time"

	"automatic-rostering/plugin/core/model"
)

var (
	seed  = flag.Uint64("seed", 1, "the first seed")
	steps = flag.Int("steps", 1_000_000, "how many steps of calls")
	every = flag.Bool("every", false, "continue after a finding, and list all kinds of them")
	tape  = flag.Bool("tape", false, "print what TestTape prints, to file descriptor 3")
	trace = flag.Bool("trace", false, "print all that happens in a finding's sequence")
)

const length = 80 // actions in a run

// TestTape prints each call of an export in random sequences, for tests/cmd/soak: a run begins
// with a line that has its seed.
func TestTape(t *testing.T) {
	if !*tape {
		t.Skip("make soak")
	}
	out := bufio.NewWriter(os.NewFile(3, "tape"))
	lines := json.NewEncoder(out)
	for s, made := *seed, 0; made < *steps; s++ {
		fmt.Fprintf(out, "%d\n", s)
		n, finding := model.Run(s, length, func(e *model.Entry) {
			if err := lines.Encode(e); err != nil {
				t.Fatal(err)
			}
		})
		if made += n; finding != nil {
			t.Fatalf("seed %d: %s: make simulate SEED=%d shows it", s, finding.Invariant, s)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
}

// TestRandom runs random sequences until it has made so many steps.
func TestRandom(t *testing.T) {
	began, made := time.Now(), 0
	kinds := map[string]int{}
	for s := *seed; made < *steps; s++ {
		n, finding := model.Run(s, length, nil)
		if made += n; finding == nil {
			continue
		}
		if kinds[finding.Signature()]++; kinds[finding.Signature()] > 1 {
			continue
		}
		found := time.Since(began)
		finding.Shrink()
		out := fmt.Sprintf("seed %d, after %d steps and %v: %s\n  %s\n", s, made, found.Round(time.Millisecond), finding.Invariant, finding.Detail)
		for _, a := range finding.Actions {
			out += "    " + a + "\n"
		}
		out += finding.Scenario
		if *trace {
			finding.Trace(func(line string) { fmt.Fprintln(os.Stderr, line) })
		}
		t.Error(out)
		if !*every {
			return
		}
	}
	var names []string
	for name, n := range kinds {
		names = append(names, fmt.Sprintf("%6d %s", n, name))
	}
	sort.Strings(names)
	for _, name := range names {
		t.Log(name)
	}
	t.Logf("%d steps in %v", made, time.Since(began))
}
