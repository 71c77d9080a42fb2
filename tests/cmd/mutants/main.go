// Command mutants measures the tests of the core by what they notice. It changes the core in
// many small ways, each a mutant, and runs the unit tests of the changed package and the
// rules on the core with each mutant, and then, with each that neither of them kills, the tests of
// flow and direct, which use all packages, and random ones.
//
//	go run ./cmd/mutants [-sample 200]
//
// It prints the share of mutants that each of them kills, and writes the survivors to
// build/mutants.txt. It fails if too many of all mutants survive unexplained. explained.txt has
// those that cannot be killed, because they do the same, or need not be.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"automatic-rostering/tests/mutant"
)

// floor is the share of all mutants, in percent, that must be killed or explained.
const floor = 97.0

//go:embed explained.txt
var explainedText string

func main() {
	log.SetFlags(0)
	sample := flag.Int("sample", math.MaxInt, "how many mutants, evenly spread")
	flag.Parse()
	top := must(filepath.Abs(".."))
	folder := must(os.MkdirTemp("", "mutants"))
	r := &runner{top, folder, must(mutant.Core(top).Write(folder))}
	all := len(r.keys)
	*sample = min(*sample, all)
	ids := make([]int, *sample)
	for n := range ids {
		ids[n] = n * all / *sample
	}
	for line := range strings.Lines(explainedText) { // KEY # WHY
		if key, _, found := strings.Cut(line, " # "); found && !slices.Contains(r.keys, key) {
			log.Fatalf("explained.txt: there is no mutant %q", key)
		}
	}
	isExplained := func(id int) bool { return strings.Contains(explainedText, "\n"+r.keys[id]+" # ") }
	units := r.units(ids)
	rules := r.kill("tests", "./runner", ids, "-test.run", "^TestPlugin$/^core$")
	left := slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return units[id] || rules[id] || isExplained(id) })
	for _, pkg := range []string{"flow", "direct", "model"} {
		killed := r.kill("", "./plugin/core/"+pkg, left, "-test.short", "-test.skip", "Fleet|Failed")
		left = slices.DeleteFunc(left, func(id int) bool { return killed[id] })
	}
	var survivors strings.Builder
	for _, id := range left {
		fmt.Fprintln(&survivors, r.keys[id])
	}
	of := func(n int) float64 { return 100 * float64(n) / float64(*sample) }
	share := of(*sample - len(left))
	fmt.Printf("of %d mutants, unit tests kill %.1f %%, rules %.1f %%; all, with those of flow and direct and random ones, kill or explain %.1f %%\n",
		*sample, of(len(units)), of(len(rules)), share)
	check(os.WriteFile(top+"/build/mutants.txt", []byte(survivors.String()), 0o600))
	check(os.RemoveAll(folder))
	if *sample == all && share < floor {
		log.Fatalf("fewer than %.1f %% are killed or explained; build/mutants.txt has the survivors", floor)
	}
}

// runner runs tests with mutants. A mutant's id is its index in keys.
type runner struct {
	top, folder string
	keys        []string
}

// units runs the unit tests of each package with each of its mutants.
func (r *runner) units(ids []int) map[int]bool {
	of, killed := map[string][]int{}, map[int]bool{}
	for _, id := range ids {
		pkg, _, _ := strings.Cut(r.keys[id], "/")
		of[pkg] = append(of[pkg], id)
	}
	for pkg, ids := range of {
		maps.Copy(killed, r.kill("", "./plugin/core/"+pkg, ids, "-test.short"))
	}
	return killed
}

// kill runs the tests of a package with each mutant that they reach, and returns those with which
// they fail. One that takes long or much memory is killed, too: it may loop forever.
func (r *runner) kill(module, pkg string, ids []int, flags ...string) map[int]bool {
	program, reached := filepath.Join(r.folder, filepath.Base(pkg)+".test"), filepath.Join(r.folder, "reached")
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", r.folder+"/overlay.json", "-o", program, pkg)
	build.Dir, build.Stderr = filepath.Join(r.top, module), os.Stderr
	check(build.Run())
	if _, err := os.Stat(program); err != nil {
		return nil // it has no tests
	}
	// run runs the tests once for each line, two at a time, and returns the lines with which they fail. Its limit
	// is seconds of processor time, which a busy machine does not change.
	run := func(limit int, env string, lines ...string) (failed []string, took float64) {
		const script = `ulimit -t $0 -v 4194304 -c 0; MUTANT={} "$@" >&2 || echo {}`
		command := exec.Command("xargs", append([]string{"-P2", "-I{}", "bash", "-c", script, strconv.Itoa(limit), program, "-test.failfast"}, flags...)...)
		command.Stdin = strings.NewReader(strings.Join(lines, "\n"))
		command.Dir, command.Env = filepath.Join(r.top, module, pkg), append(os.Environ(), env, "HOSTS=go", "GOMAXPROCS=1")
		failed = strings.Fields(string(must(command.Output())))
		return failed, (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds()
	}
	check(os.WriteFile(reached, nil, 0o600))
	failed, took := run(300, "MUTANTS_REACHED="+reached, "none")
	if len(failed) > 0 {
		log.Fatalf("%s fails without a mutant", pkg)
	}
	lines := strings.Fields(string(must(os.ReadFile(reached))))
	lines = slices.DeleteFunc(lines, func(line string) bool { return !slices.Contains(ids, must(strconv.Atoi(line))) })
	killed := map[int]bool{}
	failed, _ = run(2+int(3*took), "", lines...)
	for _, line := range failed {
		killed[must(strconv.Atoi(line))] = true
	}
	return killed
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal("mutants: ", err)
	}
}
