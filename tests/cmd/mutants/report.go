package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// results is which mutants, by their numbers, were killed by what.
type results struct {
	all    []mutant
	wanted func(id int) bool
	units  map[int]bool
	// scenarios and random; the latter are run with what the others did not kill.
	scenarios, random map[int]bool

	sum       tally
	packages  map[string]*tally
	survivors []mutant
	unused    []string // explanations of mutants that were killed, or do not exist
}

// tally counts the mutants of a package.
type tally struct{ all, units, scenarios, killed, explained int }

func (t *tally) share(n int) float64 { return 100 * float64(n) / float64(max(t.all, 1)) }

func (t *tally) String() string {
	return fmt.Sprintf("%7d  %6.1f %%  %8.1f %%  %6.1f %%  %6.1f %%",
		t.all, t.share(t.units), t.share(t.scenarios), t.share(t.killed), t.share(t.killed+t.explained))
}

// count returns the share that is killed or explained, in percent.
func (r *results) count(explained map[string]string) float64 {
	r.packages = map[string]*tally{}
	unused := maps.Clone(explained)
	for i := range r.all {
		id, m := i+1, &r.all[i]
		if !r.wanted(id) {
			continue
		}
		if r.packages[m.Package] == nil {
			r.packages[m.Package] = &tally{}
		}
		_, why := explained[m.key()]
		killed := r.units[id] || r.scenarios[id] || r.random[id]
		for _, t := range []*tally{&r.sum, r.packages[m.Package]} {
			t.all++
			t.units += number(r.units[id])
			t.scenarios += number(r.scenarios[id])
			t.killed += number(killed)
			t.explained += number(!killed && why)
		}
		if !killed {
			delete(unused, m.key())
		}
		if !killed && !why {
			r.survivors = append(r.survivors, *m)
		}
	}
	r.unused = slices.Sorted(maps.Keys(unused))
	return r.sum.share(r.sum.killed + r.sum.explained)
}

func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (r *results) print(w io.Writer) {
	fmt.Fprintln(w, "package    mutants     units  scenarios   killed  or explained")
	for _, name := range slices.Sorted(maps.Keys(r.packages)) {
		fmt.Fprintf(w, "%-10s %s\n", name, r.packages[name])
	}
	fmt.Fprintf(w, "%-10s %s\n", "all", &r.sum)
	for _, key := range r.unused {
		fmt.Fprintln(w, "explains no survivor of this run:", key)
	}
}

// save writes the survivors to a file.
func (r *results) save(file string) error {
	slices.SortFunc(r.survivors, func(a, b mutant) int { return compare(&a, &b) })
	var out strings.Builder
	for _, m := range r.survivors {
		fmt.Fprintf(&out, "%s # line %d\n", m.key(), m.Line)
	}
	return os.WriteFile(file, []byte(out.String()), 0o600)
}
