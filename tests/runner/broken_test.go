package runner

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/rostering/tests/mutant"
	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/play"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// plain is a rule of plain calls: a library that can do nothing shows nothing of the others.
const plain = "loopback-proxy"

// tries is how many mutants a rule may miss.
const tries = 80

// A rule whose cases all hold on a broken library shows nothing. Here the Go library is broken in every small way, one at a
// time, and each of its rules must notice a mutant that plain calls do not: make mutants breaks the core. The mutants that
// fewest rules reach come first, as they are what a rule is about. BROKEN is the rule that is tried, or all.
func TestBroken(t *testing.T) {
	name := os.Getenv("BROKEN")
	if name == "" {
		t.Skip("make broken runs it")
	}
	folder := t.TempDir()
	keys := mutant.Write(folder, filepath.Join(hosts.Root(), "sdk/go"))
	build := exec.Command("go", "build", "-overlay", folder+"/overlay.json", "-o", folder+"/adapter", ".")
	build.Dir = filepath.Join(hosts.Root(), "tests/adapters/go")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b := broken{hosts.Libraries("go")[0], folder + "/adapter", map[string][]rule.Case{}}
	reached, by := map[string][]int{}, map[int]int{} // the mutants of each rule, and how many rules reach a mutant
	for _, c := range cases(t, b.host) {
		if !c.Scripted() {
			b.cases[c.Rule] = append(b.cases[c.Rule], c)
		}
	}
	for r := range b.cases {
		list := filepath.Join(folder, r)
		mutant.Check(os.WriteFile(list, nil, 0o600))
		if wrong := b.play(t, "MUTANTS_REACHED="+list, r); wrong != "" {
			t.Fatalf("%s, without a mutant: %s", r, wrong)
		}
		for id := range strings.FieldsSeq(string(mutant.Must(os.ReadFile(list)))) {
			n := mutant.Must(strconv.Atoi(id))
			reached[r] = append(reached[r], n)
			by[n]++
		}
	}
	delete(reached, plain)
	if name != "all" && reached[name] == nil {
		t.Fatalf("there is no rule %q to try", name)
	}
	patience := world.Patience
	t.Cleanup(func() { world.Patience = patience })
	world.Patience = 5 * time.Second // a broken library may hang
	for r, ids := range reached {
		if name != "all" && name != r {
			continue
		}
		t.Run(r, func(t *testing.T) {
			t.Parallel()
			slices.SortStableFunc(ids, func(a, b int) int { return by[a] - by[b] })
			for i, id := range ids[:min(tries, len(ids))] {
				active := fmt.Sprint("MUTANT=", id)
				if wrong := b.play(t, active, r); wrong != "" && b.play(t, active, plain) == "" {
					fmt.Printf("%s notices, at try %d, %s: %.160s\n", r, i+1, keys[id], strings.ReplaceAll(wrong, "\n", " "))
					return
				}
			}
			t.Errorf("it notices none of %d mutants", min(tries, len(ids)))
		})
	}
}

// broken is the Go library with all mutants, and the cases that it plays by their rules.
type broken struct {
	host    hosts.Host
	adapter string
	cases   map[string][]rule.Case
}

// play plays the cases of a rule until one fails, and returns why, or nothing. It skips slow ones, which take long, unless there
// are no others. The variable is the environment's.
func (b broken) play(t *testing.T, variable, name string) string {
	b.host.Command = "env " + variable + " " + b.adapter
	p, err := b.host.Process(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }() // it may end in any way
	p.Bound = world.Patience
	player := play.Player{Adapter: p, Library: true, Redis: hosts.Redis}
	allSlow := !slices.ContainsFunc(b.cases[name], func(c rule.Case) bool { return !c.Slow })
	for _, c := range b.cases[name] {
		if c.Slow && !allSlow {
			continue
		}
		w := world.New()
		err := player.Case(w, &c)
		w.Close()
		if err != nil {
			return fmt.Sprintf("%s: %v", c.Name, err)
		}
	}
	return ""
}
