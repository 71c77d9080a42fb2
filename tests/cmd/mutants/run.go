package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"automatic-rostering/tests/conformance/contract"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

// limited is a command that ends after so many seconds of processor time, which a busy
// machine does not change, or with 4 GB of memory: a mutant may loop forever.
func limited(seconds int, command ...string) []string {
	return append([]string{"bash", "-c", fmt.Sprintf(`ulimit -t %d -v %d -c 0; exec "$@"`, seconds, 4<<20), "-"}, command...)
}

// each calls f with each number below n, on two goroutines.
func each(n int, f func(worker, i int) error) error {
	var group sync.WaitGroup
	var all [2]error
	next := make(chan int)
	for worker := range all {
		group.Go(func() {
			for i := range next {
				if err := f(worker, i); err != nil && all[worker] == nil {
					all[worker] = err
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	return errors.Join(all[:]...)
}

// reachedBy runs f with the file into which the mutated core writes what it reaches.
func reachedBy(folder string, f func(env string) error) (map[int]bool, error) {
	file, err := os.CreateTemp(folder, "reached")
	if err != nil {
		return nil, err
	}
	_ = file.Close()
	defer os.Remove(file.Name())
	if err := f("MUTANTS_REACHED=" + file.Name()); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file.Name())
	reached := map[int]bool{}
	for _, line := range strings.Fields(string(text)) {
		id, _ := strconv.Atoi(line)
		reached[id] = true
	}
	return reached, err
}

// suite is the unit tests of a package.
type suite struct{ program, folder string }

// run runs the tests, in so many seconds of processor time, and returns what it took.
func (s *suite) run(ctx context.Context, seconds int, env string, flags ...string) (out []byte, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	args := limited(seconds, append([]string{s.program, "-test.short", "-test.failfast"}, flags...)...)
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Dir, command.Env = s.folder, append(os.Environ(), env)
	if out, err = command.CombinedOutput(); err != nil {
		err = fmt.Errorf("%s: %w\n%s", filepath.Base(s.program), err, bytes.TrimSpace(out))
	}
	return out, command.ProcessState.UserTime() + command.ProcessState.SystemTime(), err
}

var slowTest = regexp.MustCompile(`(?m)^--- PASS: (\w+) \(([0-9.]+)s\)`)

// slow returns a regular expression for the tests that take a fifth of the time or more, by
// the output of all: they run last.
func slow(out []byte) string {
	sum, all := 0.0, slowTest.FindAllSubmatch(out, -1)
	seconds := make([]float64, len(all))
	for i, test := range all {
		seconds[i], _ = strconv.ParseFloat(string(test[2]), 64)
		sum += seconds[i]
	}
	var names []string
	for i, test := range all {
		if seconds[i] > max(sum/5, 0.05) {
			names = append(names, string(test[1]))
		}
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// units runs the unit tests of each package with each of its mutants.
func (m *mutated) units(ctx context.Context, core []listed, wanted func(id int) bool, killed map[int]bool) error {
	for _, p := range core {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		name := strings.TrimPrefix(p.ImportPath, internal)
		program, err := m.build(name+".test", "test", "-c", "-vet=off", p.ImportPath)
		if err != nil {
			return err
		}
		s := &suite{program: program, folder: p.Dir}
		var out []byte
		var unchanged time.Duration // what the tests take without a mutant
		reached, err := reachedBy(m.folder, func(env string) (err error) {
			out, unchanged, err = s.run(ctx, 60, env, "-test.v")
			return err
		})
		if err != nil {
			return err
		}
		var ids []int
		for id := range reached {
			if m.all[id-1].Package == name && wanted(id) {
				ids = append(ids, id)
			}
		}
		var mutex sync.Mutex
		began, dead, seconds, last := time.Now(), 0, 1+int(3*unchanged.Seconds()), slow(out)
		_ = each(len(ids), func(_, i int) error {
			env := fmt.Sprintf("MUTANT=%d", ids[i])
			_, _, err := s.run(ctx, seconds, env, "-test.skip", last)
			if err == nil {
				_, _, err = s.run(ctx, seconds, env, "-test.run", last)
			}
			mutex.Lock()
			defer mutex.Unlock()
			if err != nil {
				killed[ids[i]] = true
				dead++
			}
			return nil
		})
		fmt.Fprintf(os.Stderr, "unit tests of %s: %d of %d that they reach, in %v\n", name, dead, len(ids), time.Since(began).Round(time.Second))
	}
	return nil
}

// random runs the random tests of the simulation with each mutant.
func (m *mutated) random(ctx context.Context, wanted func(id int) bool, killed map[int]bool) error {
	program, err := m.build("random.test", "test", "-c", "-vet=off", "./plugin/core/model")
	if err != nil {
		return err
	}
	s := &suite{program: program, folder: filepath.Join(m.top, "plugin/core/model")}
	flags := []string{"-test.run", "^(TestRandom|TestDirect)$", "-steps", "300000"}
	_, unchanged, err := s.run(ctx, 300, "MUTANT=0", flags...)
	if err != nil {
		return err
	}
	var mutex sync.Mutex
	began := time.Now()
	err = each(len(m.all), func(_, i int) error {
		if id := i + 1; wanted(id) {
			if _, _, err := s.run(ctx, 10+int(3*unchanged.Seconds()), fmt.Sprintf("MUTANT=%d", id), flags...); err != nil {
				mutex.Lock()
				killed[id] = true
				mutex.Unlock()
			}
		}
		return nil
	})
	fmt.Fprintf(os.Stderr, "random tests: %v\n", time.Since(began).Round(time.Second))
	return err
}

// rule is a scenario in one of the two forms of a call, with the mutants that it reaches.
type rule struct {
	*scenario.Scenario
	steps   bool
	reaches map[int]bool
}

// scenarios runs the scenarios on the native core with each mutant.
func (m *mutated) scenarios(ctx context.Context, wanted func(id int) bool, killed map[int]bool) error {
	native, err := m.build("native", "build", "./plugin/core/native")
	if err != nil {
		return err
	}
	schema, err := contract.Read(m.top)
	if err != nil {
		return err
	}
	// with calls f with a host that has a mutant, or notes what it reaches.
	with := func(env string, f func(*run.Host) error) error {
		command := limited(5, "env", env, native)
		p, err := protocol.Start(ctx, m.top, nil, command[0], command[1:]...)
		if err != nil {
			return err
		}
		p.Bound = 30 * time.Second
		defer p.Close()
		return f(&run.Host{Process: p})
	}
	all, err := scenario.Load(os.DirFS(filepath.Join(m.top, "tests/scenarios")))
	if err != nil {
		return err
	}
	var rules []*rule
	for i := range all {
		rules = append(rules, &rule{Scenario: &all[i], steps: true})
		if !all[i].StepsOnly() {
			rules = append(rules, &rule{Scenario: &all[i]})
		}
	}
	holds := func(host *run.Host, r *rule) (err error) {
		host.Steps = r.steps
		host.Observe = func(export string, _ []byte, a protocol.Response) {
			if a.Trap == "" {
				err = errors.Join(err, schema.Returns(export, a.Output, a.Error))
			}
		}
		return errors.Join(run.Scenario(host, r.Scenario), err)
	}
	began := time.Now()
	err = each(len(rules), func(_, i int) (err error) {
		rules[i].reaches, err = reachedBy(m.folder, func(env string) error {
			return with(env, func(host *run.Host) error { return holds(host, rules[i]) })
		})
		if err != nil {
			err = fmt.Errorf("%s without any mutant: %w", rules[i].FullName(), err)
		}
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "what %d scenarios reach: %v\n", len(rules), time.Since(began).Round(time.Second))
	var mutex sync.Mutex
	began = time.Now()
	var latest [2][]*rule // those that killed other mutants lately, the last first
	err = each(len(m.all), func(worker, i int) error {
		id := i + 1
		if !wanted(id) {
			return nil
		}
		return with(fmt.Sprintf("MUTANT=%d", id), func(host *run.Host) error {
			tried := map[*rule]bool{}
			for _, r := range append(latest[worker][:len(latest[worker]):len(latest[worker])], rules...) {
				if !r.reaches[id] || tried[r] {
					continue
				}
				tried[r] = true
				if holds(host, r) == nil {
					continue
				}
				mutex.Lock()
				killed[id] = true
				mutex.Unlock()
				latest[worker] = append([]*rule{r}, latest[worker][:min(len(latest[worker]), 30)]...)
				break
			}
			return nil
		})
	})
	fmt.Fprintf(os.Stderr, "scenarios: %v\n", time.Since(began).Round(time.Second))
	return err
}
