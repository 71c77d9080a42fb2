package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// runner runs tests with mutants.
type runner struct {
	top, folder string
	all         []mutant
}

// units runs the unit tests of each package with each of its mutants.
func (r *runner) units(wanted []int) (killed map[int]bool, err error) {
	ids := map[string][]int{}
	for _, id := range wanted {
		ids[r.all[id-1].pkg] = append(ids[r.all[id-1].pkg], id)
	}
	killed = map[int]bool{}
	for _, pkg := range slices.Sorted(maps.Keys(ids)) {
		of, err := r.kill("", "./plugin/core/"+pkg, ids[pkg], "-test.short")
		if err != nil {
			return nil, err
		}
		maps.Copy(killed, of)
	}
	return killed, nil
}

// kill runs the tests of a package with each mutant that they reach, and returns those with which
// they fail. One that takes long or much memory is killed, too: it may loop forever.
func (r *runner) kill(module, pkg string, ids []int, flags ...string) (map[int]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	program := filepath.Join(r.folder, strings.ReplaceAll(pkg, "/", "-")+".test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", r.folder+"/overlay.json", "-o", program, pkg)
	build.Dir = filepath.Join(r.top, module)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", pkg, err, out)
	}
	if _, err := os.Stat(program); err != nil {
		return nil, nil // it has no tests
	}
	// run runs the tests for so many seconds of processor time, which a busy machine does not change.
	run := func(env string, seconds int) (time.Duration, error) {
		command := exec.Command("bash", append([]string{"-c", `ulimit -t $0 -v 4194304 -c 0; exec "$@"`, fmt.Sprint(seconds), program, "-test.failfast"}, flags...)...)
		command.Dir, command.Env = filepath.Join(r.top, module, pkg), append(os.Environ(), env, "HOSTS=go", "GOMAXPROCS=1")
		out, err := command.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", pkg, err, out)
		}
		return command.ProcessState.UserTime() + command.ProcessState.SystemTime(), err
	}
	began, reached := time.Now(), filepath.Join(r.folder, "reached")
	if err := os.WriteFile(reached, nil, 0o600); err != nil {
		return nil, err
	}
	unchanged, err := run("MUTANTS_REACHED="+reached, 300)
	text, readErr := os.ReadFile(reached)
	if err != nil || readErr != nil {
		return nil, fmt.Errorf("without a mutant: %w", err)
	}
	lines := strings.Fields(string(text))
	next, killed := make(chan int), map[int]bool{}
	var mutex sync.Mutex
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for id := range next {
				if _, err := run("MUTANT="+strconv.Itoa(id), 2+int(3*unchanged.Seconds())); err != nil {
					mutex.Lock()
					killed[id] = true
					mutex.Unlock()
				}
			}
		})
	}
	for _, id := range ids {
		if slices.Contains(lines, strconv.Itoa(id)) {
			next <- id
		}
	}
	close(next)
	group.Wait()
	fmt.Fprintf(os.Stderr, "%s: %d of %d, in %v\n", pkg, len(killed), len(ids), time.Since(began).Round(time.Second))
	return killed, nil
}
