// Command mutants measures the tests of the core by what they notice. It changes the core in many small ways, each a mutant, and
// runs the unit tests of each package, the rules on the core, and random sequences with each mutant that they reach, as long as
// none has killed it.
//
//	go run ./cmd/mutants [-sample 200]
//
// It writes the survivors to build/mutants.txt, and fails if too many of all mutants survive unexplained. explained.txt has those
// that cannot be killed, because they do the same, or need not be.
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

	"automatic-rostering.example/rostering/tests/mutant"
)

// floor is the share of all mutants, in percent, that must be killed or explained.
const floor = 97.0

//go:embed explained.txt
var explained string

func main() {
	log.SetFlags(0)
	sample := flag.Int("sample", math.MaxInt, "how many mutants, evenly spread")
	flag.Parse()
	top := mutant.Must(filepath.Abs(".."))
	folder := mutant.Must(os.MkdirTemp("", "mutants"))
	list := exec.Command("go", "list", "-deps", "-f", "{{if not .DepOnly}}{{.Dir}}{{end}}", "./plugin/core/...")
	list.Dir = top
	code := strings.Fields(string(mutant.Must(list.Output()))) // first those that others import
	code = slices.DeleteFunc(code, func(dir string) bool { return strings.Contains(dir, "/core/model") })
	keys := mutant.Write(folder, code...)
	for line := range strings.Lines(explained) { // KEY # WHY
		if key, _, found := strings.Cut(line, " # "); found && !slices.Contains(keys, key) {
			log.Fatalf("explained.txt: there is no mutant %q", key)
		}
	}
	*sample = min(*sample, len(keys))
	left := survivors{} // and not explained
	for n := range *sample {
		id := n * len(keys) / *sample
		if !strings.Contains(explained, "\n"+keys[id]+" # ") {
			left[strconv.Itoa(id)] = keys[id]
		}
	}
	short := []string{"-test.short", "-test.skip", "Fleet|Failed"}
	for _, dir := range code {
		left.kill(folder, dir, short...)
	}
	left.kill(folder, top+"/tests/runner", "-test.run", "^TestPlugin$/^go$/^core")
	left.kill(folder, top+"/plugin/core/model", short...)
	mutant.Check(os.WriteFile(top+"/build/mutants.txt", []byte(strings.Join(slices.Sorted(maps.Values(left)), "\n")), 0o600))
	mutant.Check(os.RemoveAll(folder))
	share := 100 - 100*float64(len(left))/float64(*sample)
	fmt.Printf("%.1f %% of %d mutants are killed or explained; build/mutants.txt has the others\n", share, *sample)
	if *sample == len(keys) && share < floor {
		log.Fatalf("which is less than %.1f %%", floor)
	}
}

// survivors are keys of mutants by their ids.
type survivors map[string]string

// kill runs the tests of a package with each mutant that they reach, and removes those with which they fail. One that takes
// long or much memory is killed, too: it may loop forever.
func (left survivors) kill(folder, dir string, flags ...string) {
	program, reached := filepath.Join(folder, filepath.Base(dir)+".test"), filepath.Join(folder, "reached")
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", folder+"/overlay.json", "-o", program)
	build.Dir, build.Stderr = dir, os.Stderr
	mutant.Check(build.Run())
	if _, err := os.Stat(program); err != nil {
		return // it has no tests
	}
	// run runs the tests once for each line, two at a time, and returns the lines with which they fail. Its limit
	// is seconds of processor time, which a busy machine does not change.
	run := func(limit int, env string, lines ...string) (failed []string, took float64) {
		const script = `ulimit -t $0 -v 4194304 -c 0; MUTANT={} "$@" >&2 || echo {}`
		command := exec.Command("xargs", append([]string{"-P2", "-I{}", "bash", "-c", script, strconv.Itoa(limit), program, "-test.failfast"}, flags...)...)
		command.Stdin = strings.NewReader(strings.Join(lines, "\n"))
		command.Dir, command.Env = dir, append(os.Environ(), env, "HOSTS=go", "GOMAXPROCS=1")
		failed = strings.Fields(string(mutant.Must(command.Output())))
		return failed, (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds()
	}
	mutant.Check(os.WriteFile(reached, nil, 0o600))
	failed, took := run(300, "MUTANTS_REACHED="+reached, "none")
	if len(failed) > 0 {
		log.Fatalf("%s fails without a mutant", dir)
	}
	lines := strings.Fields(string(mutant.Must(os.ReadFile(reached))))
	lines = slices.DeleteFunc(lines, func(id string) bool { return left[id] == "" })
	failed, _ = run(2+int(3*took), "", lines...)
	for _, id := range failed {
		delete(left, id)
	}
	log.Printf("of %4d mutants that %s reaches, its tests kill %d", len(lines), filepath.Base(dir), len(failed))
}
