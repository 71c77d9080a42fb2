// Command soak holds the built plugin to the core: each call of the random sequences that the
// core takes beside the model of the contract, the built files take, too, on go-sdk, on
// instances that live as long as the soak; and what they return is as the JSON Schema has it.
//
//	go run ./cmd/soak [-steps 1000000] [-seed 1]
//
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
	tape, end, err := record(ctx, top, steps, seed)
	if err != nil {
		return err
	}
	made, err := replay(ctx, w, top, tape, steps/2)
	if err != nil {
		err = fmt.Errorf("%w\nto see it again: make soak SEED=%d", err, made.seed)
	}
	return errors.Join(err, end(err != nil))
}

// record starts the core and the model, which write the tape.
func record(ctx context.Context, top string, steps int, seed uint64) (tape io.Reader, end func(early bool) error, err error) {
	ctx, cancel := context.WithCancel(ctx)
	in, out, err := os.Pipe()
	if err != nil {
		cancel()
		return nil, nil, err
	}
	test := exec.CommandContext(ctx, "go", "test", "-count=1", "-timeout", "0", "-run", "^TestTape$", "./internal/simulation",
		"-args", "-tape", "-seed", fmt.Sprint(seed), "-steps", fmt.Sprint(steps))
	test.Dir, test.Stderr, test.ExtraFiles = top+"/plugin", os.Stderr, []*os.File{out}
	// The test binary inherits the file from the go command.
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
		return test.Wait()
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
