// Command soak holds the built plugin to the core: the built files make the same calls as the
// core in random sequences, on instances that live as long as the soak, and must return the
// same. What they return must fit the JSON Schema.
//
//	go run ./cmd/soak [-steps 1000000] [-seed 1]
//
// Half of the calls are steps, which the core makes next to the model of the contract, and the
// built files on go-sdk; the other half are direct calls, on a host that responds to their requests.
// Any difference is a failure, and so is memory that grows.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

func main() {
	steps := flag.Int("steps", 1_000_000, "how many calls of an export")
	seed := flag.Uint64("seed", 1, "the first sequence")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, "..", *steps, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// entry is a call of an export, as the core took it: package simulation's Entry.
type entry struct {
	Instance int               `json:"instance"`
	Config   map[string]string `json:"config"`
	WASI     bool              `json:"wasi"`
	Clock    int64             `json:"clock"`
	Export   string            `json:"export"`
	Input    string            `json:"input"`
	Output   string            `json:"output"`
	Failed   bool              `json:"failed"`
}

func run(ctx context.Context, w io.Writer, top string, steps int, seed uint64) error {
	r, err := newRecorder(ctx, top)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.temporary)
	if err := r.runSteps(ctx, w, steps/2, seed); err != nil {
		return err
	}
	return r.runDirect(ctx, w, steps/2, seed)
}

func (r *recorder) runSteps(ctx context.Context, w io.Writer, steps int, seed uint64) error {
	tape, end, err := r.record(ctx, "TestTape", steps, seed)
	if err != nil {
		return err
	}
	made, err := replay(ctx, w, r.top, tape, steps/2)
	if err != nil {
		err = fmt.Errorf("%w\nto see it again: make soak SEED=%d", err, made.seed)
	}
	return errors.Join(err, end(err != nil))
}

// recorder has the tests of the simulation, in which the core makes calls and writes the tape.
type recorder struct{ top, temporary string }

func newRecorder(ctx context.Context, top string) (*recorder, error) {
	folder, err := os.MkdirTemp("", "soak")
	if err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", folder+"/simulation", "./core/model")
	build.Dir = top + "/plugin"
	if out, err := build.CombinedOutput(); err != nil {
		os.RemoveAll(folder)
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return &recorder{top, folder}, nil
}

// record starts a test that writes a tape.
func (r *recorder) record(ctx context.Context, name string, steps int, seed uint64, flags ...string) (tape io.Reader, end func(early bool) error, err error) {
	ctx, cancel := context.WithCancel(ctx)
	in, out, err := os.Pipe()
	if err != nil {
		cancel()
		return nil, nil, err
	}
	test := exec.CommandContext(ctx, r.temporary+"/simulation", append([]string{"-test.timeout=0", "-test.run=^" + name + "$",
		"-tape", "-seed", fmt.Sprint(seed), "-steps", fmt.Sprint(steps)}, flags...)...)
	test.Dir, test.Stderr, test.ExtraFiles = r.top+"/plugin/core/model", os.Stderr, []*os.File{out}
	var said strings.Builder
	test.Stdout = &said
	if err := test.Start(); err != nil {
		cancel()
		return nil, nil, err
	}
	_ = out.Close()
	return in, func(early bool) error {
		defer cancel()
		defer in.Close()
		if early {
			cancel()
			_ = test.Wait()
			return nil
		}
		if err := test.Wait(); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, said.String())
		}
		return nil
	}, nil
}

// made is how far a soak has come.
type made struct {
	seed        uint64
	runs, calls int
}

// replay has the built files take the calls of a tape. After half of them, memory may grow no more.
func replay(ctx context.Context, w io.Writer, top string, tape io.Reader, half int) (m made, err error) {
	all, err := open(ctx, top)
	if err != nil {
		return m, err
	}
	defer all.close(ctx)
	lines := bufio.NewReaderSize(tape, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return m, err
		}
		if line[0] != '{' { // the seed of the next run
			if m.seed, err = strconv.ParseUint(string(line[:len(line)-1]), 10, 64); err != nil {
				return m, err
			}
			m.runs++
			all.forget()
			continue
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return m, err
		}
		m.calls++
		if err := all.take(ctx, &e); err != nil {
			return m, fmt.Errorf("call %d: %w", m.calls, err)
		}
		if m.calls == half {
			all.measure()
		}
	}
	if m.calls < half {
		return m, errors.New("the tape ends too early")
	}
	fmt.Fprintf(w, "%d calls of exports in %d sequences: the built files take each as the core does\n", m.calls, m.runs)
	return m, all.flat(w)
}
