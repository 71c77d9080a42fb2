package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"automatic-rostering/tests/conformance/canary"
	"automatic-rostering/tests/conformance/contract"
	"automatic-rostering/tests/stubhost"
)

// directCall is a direct call, or another export that sends nothing, as the core took it:
// directCall of package simulation's tests.
type directCall struct {
	Action    int               `json:"action"`
	Config    map[string]string `json:"config"`
	WASI      bool              `json:"wasi"`
	Clock     int64             `json:"clock"`
	Room      int               `json:"room"`
	Export    string            `json:"export"`
	Input     string            `json:"input"`
	Exchanges []exchange        `json:"exchanges"`
	Output    []byte            `json:"output"`
	Error     string            `json:"error"`
	Lost      bool              `json:"lost"`
	Logs      []string          `json:"logs"`
	Tokens    []string          `json:"tokens"`
	Vars      map[string]uint32 `json:"vars"`
}

type exchange struct {
	Request  string `json:"request"`
	Body     string `json:"body"`
	Status   int    `json:"status"`
	Response []byte `json:"response"`
	Lost     bool   `json:"lost"`
	Clock    int64  `json:"clock"`
}

// direct are the built files on hosts that live as long as the soak. Without a clock, both
// make the same calls.
type direct struct {
	contract contract.Contract
	builds   []*build
	calls    int
	seed     uint64
	action   int
}

type build struct {
	*stubhost.Host
	name   string
	wasi   bool
	before uint32 // its memory, half-way
}

var errNoResponse = errors.New("no response")

func openDirect(ctx context.Context, top string) (*direct, error) {
	schema, err := contract.Read(top)
	if err != nil {
		return nil, err
	}
	d := &direct{contract: schema}
	for _, name := range []string{"rostering.wasm", "rostering-nowasi.wasm"} {
		wasm, err := os.ReadFile(filepath.Join(top, "dist", name))
		if err != nil {
			return nil, err
		}
		host, err := stubhost.New(ctx, wasm)
		if err != nil {
			return nil, err
		}
		d.builds = append(d.builds, &build{Host: host, name: name, wasi: name == "rostering.wasm"})
	}
	return d, nil
}

func (d *direct) close(ctx context.Context) {
	for _, b := range d.builds {
		_ = b.Close(ctx)
	}
}

// runDirect holds the built files to the core in direct calls.
func (r *recorder) runDirect(ctx context.Context, w io.Writer, calls int, seed uint64) error {
	d, err := openDirect(ctx, r.top)
	if err != nil {
		return err
	}
	defer d.close(ctx)
	tape, end, err := r.record(ctx, "TestDirectTape", calls, seed)
	if err != nil {
		return err
	}
	before := uint64(0)
	err = d.replay(ctx, tape, func() {
		if d.calls == calls/2 {
			before = d.measure()
		}
	})
	if err = errors.Join(err, end(err != nil)); err != nil {
		return r.shrink(ctx, d, err)
	}
	if before == 0 {
		return errors.New("the tape of direct calls ends too early")
	}
	fmt.Fprintf(w, "%d direct calls: the built files make each as the core does\n", d.calls)
	return d.flat(w, before)
}

// replay makes the calls of a tape, and returns the first difference.
func (d *direct) replay(ctx context.Context, tape io.Reader, after func()) error {
	for lines := bufio.NewReaderSize(tape, 1<<20); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if line[0] != '{' { // the seed of the next sequence
			if d.seed, err = strconv.ParseUint(string(line[:len(line)-1]), 10, 64); err != nil {
				return err
			}
			for _, b := range d.builds {
				clear(b.Vars)
			}
			continue
		}
		var c directCall
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		d.action = c.Action
		for _, b := range d.builds {
			if c.WASI && !b.wasi {
				continue
			}
			if err := d.take(ctx, b, &c); err != nil {
				return fmt.Errorf("%s, seed %d, action %d, %s %.300s: %w", b.name, d.seed, c.Action, c.Export, c.Input, err)
			}
		}
		d.calls++
		after()
	}
}

// take makes a call, and returns the difference from the core.
func (d *direct) take(ctx context.Context, b *build, c *directCall) error {
	b.Config, b.Room, b.Clock = c.Config, c.Room, time.Unix(c.Clock, 0)
	sent, wrong := 0, error(nil)
	b.Respond = func(r stubhost.Request) (int, []byte, error) {
		if sent++; sent > len(c.Exchanges) {
			wrong = fmt.Errorf("it sends a request to %s, which the core does not", r.URL)
			return 0, nil, errNoResponse
		}
		e := &c.Exchanges[sent-1]
		if r.Raw != e.Request || string(r.Body) != e.Body {
			wrong = fmt.Errorf("it sends\n  %s %s, the core\n  %s %s", r.Raw, r.Body, e.Request, e.Body)
		}
		b.Clock = time.Unix(e.Clock, 0)
		if e.Lost || wrong != nil {
			return 0, nil, errNoResponse
		}
		return e.Status, e.Response, nil
	}
	output, failure, err := b.Call(ctx, c.Export, c.Input)
	if wrong != nil {
		return wrong
	}
	lost := errors.Is(err, errNoResponse) || errors.Is(err, stubhost.ErrNoRoom)
	if err != nil && !lost {
		return fmt.Errorf("a trap: %w", err)
	}
	switch {
	case lost != c.Lost || failure != c.Error || string(output) != string(c.Output):
		return fmt.Errorf("it ends with\n  %.600s %.600s %v, the core with\n  %.600s %.600s, lost %v", output, failure, err, c.Output, c.Error, c.Lost)
	case sent != len(c.Exchanges):
		return fmt.Errorf("it sends %d requests, the core %d", sent, len(c.Exchanges))
	case !slices.Equal(b.Logs, c.Logs):
		return fmt.Errorf("it logs %q, the core %q", b.Logs, c.Logs)
	}
	vars := map[string]uint32{}
	for name, value := range b.Vars {
		vars[name] = crc32.ChecksumIEEE(value)
	}
	if !maps.Equal(vars, c.Vars) {
		return fmt.Errorf("it keeps other vars than the core: %v instead of %v", vars, c.Vars)
	}
	text := failure + strings.Join(b.Logs, "\n")
	shown := func(token string) bool { return strings.Contains(text, token) }
	if canary.Shows(text, c.Config["client_secret"]) || slices.ContainsFunc(c.Tokens, shown) {
		return fmt.Errorf("a secret or a token is shown: %.600s", text)
	}
	if lost {
		return nil
	}
	return d.contract.Returns(c.Export, output, failure)
}

// shrink omits actions of the sequence that differs as long as it still does.
func (r *recorder) shrink(ctx context.Context, d *direct, first error) error {
	const actions = 60 // of a sequence
	latest, seed, last := first, d.seed, d.action
	var omitted []string
	for n := last + 1; n < actions; n++ {
		omitted = append(omitted, fmt.Sprint(n))
	}
	for size := 16; size > 0; size /= 2 {
		for at := 0; at < last; at += size {
			try := slices.Clone(omitted)
			for n := at; n < min(at+size, last); n++ {
				if name := fmt.Sprint(n); !slices.Contains(try, name) {
					try = append(try, name)
				}
			}
			if len(try) == len(omitted) {
				continue
			}
			tape, end, err := r.record(ctx, "TestDirectTape", 1, seed, "-without", strings.Join(try, ","))
			if err != nil {
				return errors.Join(latest, err)
			}
			if err := d.replay(ctx, tape, func() {}); err != nil && ctx.Err() == nil {
				latest, omitted = err, try
			}
			_ = end(true)
		}
	}
	return fmt.Errorf("%w\nto see it again: make soak SEED=%d, or TestDirectTape -without %s", latest, seed, strings.Join(omitted, ","))
}

// measure notes what memory the instances have, and returns the heap of this program.
func (d *direct) measure() uint64 {
	for _, b := range d.builds {
		b.before = b.Memory()
	}
	return heap()
}

// flat wants memory not to have grown since measure.
func (d *direct) flat(w io.Writer, before uint64) error {
	now := heap()
	fmt.Fprintf(w, "memory: %d KB of the host's heap, half-way %d\n", now>>10, before>>10)
	for _, b := range d.builds {
		fmt.Fprintf(w, "memory: %d KB of %s, half-way %d\n", b.Memory()>>10, b.name, b.before>>10)
		if b.Memory() > b.before+1<<20 { // a response may be larger than any before
			return errors.New("memory of the guest grows")
		}
	}
	if now > before+before/4+1<<20 {
		return errors.New("memory of the host grows")
	}
	return nil
}
