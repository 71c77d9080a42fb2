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
	"testing/fstest"
	"time"

	"automatic-rostering/tests/mutant"
	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/play"
	"automatic-rostering/tests/runner/rule"
	"automatic-rostering/tests/runner/world"
)

// plain has to hold: a library that can do nothing shows nothing of a rule.
const plain = "- {rule: plain, anchor: one-call, everywhere: {a call: [{do: list_jobs, exchanges: [token, jobs]}]}}"

// plainRules are rules whose cases are plain calls, by what they add.
var plainRules = map[string]string{"loopback-proxy": "the environment of the adapters"}

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
	b := broken{hosts.Libraries("go")[0], t.TempDir()}
	keys, err := mutant.Library(hosts.Root()).Write(b.folder)
	if err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", filepath.Join(b.folder, "overlay.json"), "-o", filepath.Join(b.folder, "adapter"), ".")
	build.Dir = filepath.Join(hosts.Root(), "tests/adapters/go")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	rules := slices.DeleteFunc(load(t), func(r rule.Rule) bool {
		return r.Text == "" || len(b.cases(&r)) == 0
	})
	reached, by := map[string][]int{}, map[int]int{} // the mutants of each rule, and how many rules reach a mutant
	for _, r := range rules {
		list := filepath.Join(b.folder, r.Name)
		if err := os.WriteFile(list, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if wrong := b.play(t, "MUTANTS_REACHED="+list, &r); wrong != "" {
			t.Fatalf("%s, without a mutant: %s", r.Name, wrong)
		}
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		for id := range strings.FieldsSeq(string(text)) {
			n, _ := strconv.Atoi(id)
			reached[r.Name] = append(reached[r.Name], n)
			by[n]++
		}
	}
	all, err := rule.Load(fstest.MapFS{"plain.yaml": {Data: []byte(plain)}})
	if err != nil {
		t.Fatal(err)
	}
	patience := world.Patience
	t.Cleanup(func() { world.Patience = patience })
	world.Patience = 5 * time.Second // a broken library may hang
	for _, r := range rules {
		if name != "all" && name != r.Name {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			ids := reached[r.Name]
			slices.SortStableFunc(ids, func(a, b int) int { return by[a] - by[b] })
			for i, id := range ids[:min(tries, len(ids))] {
				active := fmt.Sprint("MUTANT=", id)
				wrong := b.play(t, active, &r)
				if wrong != "" && (plainRules[r.Name] != "" || b.play(t, active, &all[0]) == "") {
					fmt.Printf("%s notices, at try %d, %s: %.160s\n", r.Name, i+1, keys[id], strings.ReplaceAll(wrong, "\n", " "))
					return
				}
			}
			t.Errorf("it notices none of %d mutants", min(tries, len(ids)))
		})
	}
}

// broken is the Go library's host, and the folder of an adapter that has all mutants.
type broken struct {
	host   hosts.Host
	folder string
}

// cases are those that the library plays, without slow ones, which take long, unless there are no others.
func (b broken) cases(r *rule.Rule) []rule.Case {
	played := slices.DeleteFunc(slices.Clone(r.Cases), func(c rule.Case) bool { return !plays(b.host, r, &c) })
	fast := slices.DeleteFunc(slices.Clone(played), func(c rule.Case) bool { return c.Slow })
	if len(fast) == 0 {
		return played
	}
	return fast
}

// play plays the cases of a rule until one fails, and returns why, or nothing. The variable is the environment's.
func (b broken) play(t *testing.T, variable string, r *rule.Rule) string {
	b.host.Command = []string{"env", variable, filepath.Join(b.folder, "adapter")}
	p, err := b.host.Process(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }() // it may end in any way
	p.Bound, p.Grace = world.Patience, time.Second
	player := play.Player{Adapter: p, Library: true, Redis: hosts.Redis}
	for _, c := range b.cases(r) {
		w := world.New()
		err := player.Case(w, &c)
		w.Close()
		if err != nil {
			return fmt.Sprintf("%s: %v", c.Name, err)
		}
	}
	return ""
}
