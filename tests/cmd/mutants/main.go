// Command mutants measures the tests of the core by what they notice. It changes the core in
// many small ways, each a mutant, and runs the unit tests of the changed package and the
// scenarios on the native core with each mutant, and then the random tests of the simulation
// with each that neither of them kills.
//
//	go run ./cmd/mutants [-packages call,oauth2] [-by units,scenarios,random] [-only FILE] [-survivors FILE]
//
// It prints the share of mutants that each of them kills, and fails if those that nothing kills
// or explains are more than floor.txt allows. explained.txt has the mutants that cannot be
// killed, because they do the same, or need not be. The survivors go to a file, which -only
// takes for the next run.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	var o options
	flag.StringVar(&o.packages, "packages", "", "of plugin/core; the whole core if empty")
	flag.StringVar(&o.by, "by", all, "what is to kill mutants")
	flag.StringVar(&o.only, "only", "", "a file of mutants; all if empty")
	flag.StringVar(&o.survivors, "survivors", "../build/mutants.txt", "the file to which the survivors go")
	flag.Parse()
	if err := o.measure(context.Background(), os.Stdout, ".."); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

type options struct{ packages, by, only, survivors string }

const all = "units,scenarios,random"

//go:embed floor.txt
var floorText string

//go:embed explained.txt
var explainedText string

// partly reports whether a run leaves out so much that the floor does not apply.
func (o *options) partly() bool {
	return o.packages != "" || o.only != "" || o.by != all
}

func (o *options) measure(ctx context.Context, w io.Writer, top string) error {
	floor, err := strconv.ParseFloat(strings.TrimSpace(floorText), 64)
	if err != nil {
		return err
	}
	top, err = filepath.Abs(top)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	m, core, err := mutate(top, folder)
	if err != nil {
		return err
	}
	ofPackage := func(pkg string) bool { return o.packages == "" || slices.Contains(strings.Split(o.packages, ","), pkg) }
	core = slices.DeleteFunc(core, func(p listed) bool { return !ofPackage(strings.TrimPrefix(p.ImportPath, internal)) })
	only := map[string]string{}
	if o.only != "" {
		text, err := os.ReadFile(o.only)
		if err != nil {
			return err
		}
		only = readList(string(text))
	}
	t := &results{all: m.all, units: map[int]bool{}, scenarios: map[int]bool{}, random: map[int]bool{}}
	t.wanted = func(id int) bool {
		mutant := &m.all[id-1]
		_, listed := only[mutant.key()]
		return ofPackage(mutant.Package) && (listed || o.only == "")
	}
	if strings.Contains(o.by, "units") {
		if err := m.units(ctx, core, t.wanted, t.units); err != nil {
			return err
		}
	}
	if strings.Contains(o.by, "scenarios") {
		if err := m.scenarios(ctx, t.wanted, t.scenarios); err != nil {
			return err
		}
	}
	explained := readList(explainedText)
	if strings.Contains(o.by, "random") {
		remains := func(id int) bool {
			_, why := explained[m.all[id-1].key()]
			return t.wanted(id) && !t.units[id] && !t.scenarios[id] && !why
		}
		if err := m.random(ctx, remains, t.random); err != nil {
			return err
		}
	}
	share := t.count(explained)
	t.print(w)
	if err := t.save(o.survivors); err != nil {
		return err
	}
	if !o.partly() && share < floor {
		return fmt.Errorf("%.1f %% are killed or explained, less than the %.1f %% of floor.txt; %s has the survivors", share, floor, o.survivors)
	}
	return nil
}

// readList reads mutants by their keys, one a line, each with a remark after " # ".
func readList(text string) map[string]string {
	list := map[string]string{}
	for line := range strings.Lines(text) {
		if key, remark, _ := strings.Cut(strings.TrimSpace(line), " # "); key != "" && key[0] != '#' {
			list[strings.TrimSpace(key)] = strings.TrimSpace(remark)
		}
	}
	return list
}
