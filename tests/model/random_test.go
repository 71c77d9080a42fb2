package model_test

import (
	"flag"
	"testing"
	"time"

	"automatic-rostering.example/rostering/tests/model"
)

var (
	seed  = flag.Uint64("seed", 1, "the first seed")
	steps = flag.Int("steps", 300_000, "how many steps of flows")
)

const length = 80 // actions in a run

// TestRandom runs random sequences until it has made so many steps. It prints the shortest
// sequence that shows what it finds.
func TestRandom(t *testing.T) {
	began, made := time.Now(), 0
	for s := *seed; made < *steps; s++ {
		n, finding := model.Run(s, length)
		made += n
		if finding == nil {
			continue
		}
		finding.Shrink()
		finding.Trace(func(line string) { t.Log(line) })
		t.Fatalf("seed %d, after %d steps: %s\n%s", s, made, finding.Rule, finding.Detail)
	}
	t.Logf("%d steps in %v", made, time.Since(began))
}
