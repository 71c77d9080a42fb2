package rostering

import (
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"

	"automatic-rostering.example/rostering/internal/counted"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/pure"
)

// plugin is the plugin's core with its state, on which one export runs at a time.
type plugin struct {
	turn  sync.Mutex
	state []byte // which the core alone reads
	calls int    // of exports, for tests
}

func init() {
	counted.Calls = func(client any) int {
		p := client.(*Client).shared.plugin
		p.turn.Lock()
		defer p.turn.Unlock()
		return p.calls
	}
}

// configure sets keys of the config, if the core accepts all that it then has.
func (p *plugin) configure(keys map[string]string) error {
	p.turn.Lock()
	defer p.turn.Unlock()
	before := p.state
	err := p.run("configure", object(keys)).err
	if err == nil {
		err = p.run("check", nil).err
	}
	if err != nil {
		p.state = before
	}
	return err
}

// forget drops the state, which has the secret and the token.
func (p *plugin) forget() {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.state = nil
}

// use calls an export, and then passes its outcome on before the next one runs: so what the
// library keeps changes in the same order as the core's state. It returns what is to be logged.
func (p *plugin) use(export string, input []byte, then func(output []byte, err error)) []line {
	p.turn.Lock()
	defer p.turn.Unlock()
	o := p.run(export, input)
	then(o.output, o.err)
	return o.lines
}

// outcome is what an export returns.
type outcome struct {
	output []byte
	err    error
	lines  []line
}

var levels = [...]slog.Level{host.Debug: slog.LevelDebug, host.Warn: slog.LevelWarn}

// run calls an export. If it panics, the state is the one from before.
func (p *plugin) run(export string, input []byte) (o outcome) {
	p.calls++
	defer func() {
		if v := recover(); v != nil {
			o = outcome{err: pluginFailed(export + " panicked: " + harmless(v))}
		}
	}()
	r := pure.Call(pure.Named(export), slices.Clone(p.state), input)
	p.state, o.output = r.State, r.Output
	r.Lines(func(level host.Level, text string) {
		o.lines = append(o.lines, line{level: levels[level], text: text})
	})
	if r.Failed {
		o.err = pluginError(r.Output)
	}
	return o
}

// harmless describes a value of a panic, which may quote a secret unless the runtime made it.
func harmless(v any) string {
	if e, ok := v.(runtime.Error); ok {
		return e.Error()
	}
	return fmt.Sprintf("a value of type %T", v)
}
