package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"

	extism "github.com/extism/go-sdk"
)

// memory measures how much of the host's heap instances keep, and that it does not grow.
func (d *document) memory(ctx context.Context) error {
	rows := [][]string{{"plugin", "time of another instance", "its heap, with a token", "growth after 100,000 calls", "after bodies of 1 KB to 50 MB", "after the same bodies again"}}
	for _, s := range d.sources {
		compiled, err := compile(ctx, s.wasm)
		if err != nil {
			return err
		}
		row, err := further(ctx, compiled)
		if err == nil {
			var grown []string
			grown, err = growth(ctx, compiled, s.name)
			row = append(row, grown...)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, append([]string{s.name}, row...))
		if err := compiled.Close(ctx); err != nil {
			return err
		}
	}
	d.table("memory", rows...)
	return d.stepsMemory()
}

// further measures instances beyond the first.
func further(ctx context.Context, compiled *extism.CompiledPlugin) ([]string, error) {
	const instances = 20
	var all []*extism.Plugin
	open := func() error {
		p, err := instance(ctx, compiled)
		if err == nil {
			all = append(all, p)
			err = call(p, "list_jobs", "")
		}
		return err
	}
	defer func() {
		for _, p := range all {
			p.Close(ctx)
		}
	}()
	if err := open(); err != nil {
		return nil, err
	}
	before := heap()
	times, err := race(instances, 0, []func() error{open})
	if err != nil {
		return nil, err
	}
	return []string{micro(times[0].least()), kilobytes((heap() - before) / instances)}, nil
}

// growth measures how the heap grows on one instance: with calls, with bodies of all sizes, and with
// the same bodies once more. Only ours makes the calls.
func growth(ctx context.Context, compiled *extism.CompiledPlugin, name string) ([]string, error) {
	p, err := instance(ctx, compiled)
	if err != nil {
		return nil, err
	}
	defer p.Close(ctx)
	list := func(times int) error {
		for range times {
			if err := call(p, "list_jobs", ""); err != nil {
				return err
			}
		}
		return nil
	}
	body := bytes.Repeat([]byte("j"), largest)
	defer func() { wire.jobs = jobsAnswer }()
	bodies := func() error {
		for size := 1000; size <= largest; size *= 10 {
			wire.jobs = body[:size]
			if err := list(1); err != nil {
				return err
			}
		}
		wire.jobs = body
		return list(3)
	}
	if err := list(200); err != nil {
		return nil, err
	}
	var grown []string
	if before := heap(); name == ours {
		if err := list(100_000); err != nil {
			return nil, err
		}
		grown = append(grown, kilobytes(heap()-before))
	} else {
		grown = append(grown, "")
	}
	for range 2 {
		before := heap()
		if err := bodies(); err != nil {
			return nil, err
		}
		grown = append(grown, kilobytes(heap()-before))
	}
	runtime.KeepAlive(body)
	return grown, nil
}

const largest = 50_000_000 // go-sdk's own limit is a little more

// stepsMemory is the same for the plugin's steps.
func (d *document) stepsMemory() error {
	rows := [][]string{{"steps", "the heap grows by"}}
	ctx := context.Background()
	h, err := open(ctx, "../dist/rostering-nowasi.wasm")
	if err != nil {
		return err
	}
	defer h.close(ctx)
	resume := func(size int) error {
		input := fmt.Sprintf(`{"flow":%s,"status":500,"body":%q,"now":%d}`, h.flow, strings.Repeat("b", size), now)
		if status, _, err := h.plugin.Call("resume", []byte(input)); status == 0 || !strings.Contains(err.Error(), "service_error") {
			return fmt.Errorf("resume after a 500: %w", err)
		}
		return nil
	}
	const most = 64<<10 + 1 // of a body that must be passed
	for _, f := range []struct {
		what  string
		times int
		do    func() error
	}{
		{"begin", 100_000, func() error { return call(h.plugin, "begin", begin("list_jobs")) }},
		{"resume with an error's body of 1 KB", 10_000, func() error { return resume(1000) }},
		{"resume with an error's body of 64 KB", 1000, func() error { return resume(most) }},
	} {
		for range 100 {
			if err := f.do(); err != nil {
				return err
			}
		}
		before := heap()
		for range f.times {
			if err := f.do(); err != nil {
				return err
			}
		}
		rows = append(rows, []string{fmt.Sprintf("%s, %d times", f.what, f.times), kilobytes(heap() - before)})
	}
	d.table("steps", rows...)
	return nil
}
