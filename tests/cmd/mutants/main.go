// Command mutants measures the tests of the core by what they notice. It changes the core in
// many small ways, each a mutant, and runs the unit tests of the changed package and the
// scenarios on the core with each mutant, and then the random tests of the model with each that
// neither of them kills.
//
//	go run ./cmd/mutants [-packages call,oauth2] [-sample 200] [-only FILE]
//
// It prints the share of mutants that each of them kills, and writes the survivors to
// build/mutants.txt, which -only takes for the next run. It fails if those that nothing kills or
// explains are more than floor.txt allows. explained.txt has the mutants that cannot be killed,
// because they do the same, or need not be.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed floor.txt
var floorText string

//go:embed explained.txt
var explainedText string

func main() {
	packages := flag.String("packages", "", "of plugin/core; the whole core if empty")
	sample := flag.Int("sample", 0, "how many mutants, evenly spread; all if 0")
	only := flag.String("only", "", "a file of mutants; all if empty")
	flag.Parse()
	if err := measure(*packages, *sample, *only); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func measure(packages string, sample int, only string) error {
	top, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	floor, err := strconv.ParseFloat(strings.TrimSpace(floorText), 64)
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	if only != "" {
		text, err := os.ReadFile(only)
		if err != nil {
			return err
		}
		listed = readList(string(text))
	}
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	r := &runner{top: top, folder: folder}
	if r.all, err = mutate(top, folder); err != nil {
		return err
	}
	var wanted []int // their numbers
	for i, m := range r.all {
		if (packages == "" || slices.Contains(strings.Split(packages, ","), m.pkg)) && (only == "" || listed[m.key]) {
			wanted = append(wanted, i+1)
		}
	}
	if sample > 0 && sample < len(wanted) {
		for n := range sample {
			wanted[n] = wanted[n*len(wanted)/sample]
		}
		wanted = wanted[:sample]
	}
	units, err := r.units(wanted)
	if err != nil {
		return err
	}
	scenarios, err := r.kill("tests", "./conformance", wanted, "-test.run", "^TestScenarios$/^core$")
	if err != nil {
		return err
	}
	explained := readList(explainedText)
	remaining := slices.DeleteFunc(slices.Clone(wanted), func(id int) bool { return units[id] || scenarios[id] || explained[r.all[id-1].key] })
	random, err := r.kill("", "./plugin/core/model", remaining, "-test.run", "^(TestRandom|TestDirect)$", "-steps", "300000")
	if err != nil {
		return err
	}
	t := tally{}
	var survivors strings.Builder
	for _, id := range wanted {
		m := r.all[id-1]
		killed := units[id] || scenarios[id] || random[id]
		t.add("all", units[id], scenarios[id], killed, killed || explained[m.key])
		t.add(m.pkg, units[id], scenarios[id], killed, killed || explained[m.key])
		if !killed && !explained[m.key] {
			fmt.Fprintf(&survivors, "%s # line %d\n", m.key, m.line)
		}
		if !killed {
			delete(explained, m.key)
		}
	}
	share := t.print()
	whole := packages == "" && sample == 0 && only == ""
	if whole && len(explained) > 0 {
		fmt.Println("explains no survivor:", slices.Sorted(maps.Keys(explained)))
	}
	file := filepath.Join(top, "build/mutants.txt")
	if err := os.WriteFile(file, []byte(survivors.String()), 0o600); err != nil {
		return err
	}
	if whole && share < floor {
		return fmt.Errorf("%.1f %% are killed or explained, less than the %.1f %% of floor.txt; %s has the survivors", share, floor, file)
	}
	return nil
}

// tally counts the mutants of each package: all, and those of which something is true.
type tally map[string]*[5]float64

func (t tally) add(pkg string, is ...bool) {
	if t[pkg] == nil {
		t[pkg] = new([5]float64)
	}
	t[pkg][0]++
	for n, is := range is {
		if is {
			t[pkg][n+1]++
		}
	}
}

// print prints the table, and returns the share of all mutants that are killed or explained.
func (t tally) print() (share float64) {
	fmt.Println("package    mutants     units  scenarios   killed  or explained")
	for _, pkg := range slices.Sorted(maps.Keys(t)) {
		c := *t[pkg]
		of := func(n int) float64 { return 100 * c[n] / c[0] }
		fmt.Printf("%-10s %7.0f  %6.1f %%  %7.1f %%  %5.1f %%  %5.1f %%\n", pkg, c[0], of(1), of(2), of(3), of(4))
		if pkg == "all" {
			share = of(4)
		}
	}
	return share
}

// readList reads mutants by their keys, one a line, each with a remark after " # ".
func readList(text string) map[string]bool {
	list := map[string]bool{}
	for line := range strings.Lines(text) {
		if key, _, _ := strings.Cut(strings.TrimSpace(line), " # "); key != "" && key[0] != '#' {
			list[key] = true
		}
	}
	return list
}
