package main

import (
	"context"
	"crypto/rand"
	"os"
	"runtime"
	"time"

	"automatic-rostering.example/rostering"
	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero/api"

	"automatic-rostering/tests/report"
)

// onePassword is the core of 1Password's SDK for Go, which is an Extism plugin, too; it is
// empty if build.sh could not get it.
func onePassword() ([]source, error) {
	wasm, err := os.ReadFile("../build/peers/1password.wasm")
	if os.IsNotExist(err) {
		return nil, nil
	}
	return []source{{"1Password's SDK: its core", wasm}}, err
}

// onePasswordFunctions are what its core imports in addition to Extism's functions.
func onePasswordFunctions() []extism.HostFunction {
	i32, i64 := []api.ValueType{api.ValueTypeI32}, []api.ValueType{api.ValueTypeI64}
	function := func(namespace, name string, params []api.ValueType, do extism.HostFunctionStackCallback) extism.HostFunction {
		f := extism.NewHostFunctionWithStack(name, do, params, i64)
		f.SetNamespace(namespace)
		return f
	}
	clock := func(_ context.Context, _ *extism.CurrentPlugin, stack []uint64) {
		stack[0] = uint64(time.Now().UnixMilli())
	}
	return []extism.HostFunction{
		function("op-now", "unix_time_milliseconds_imported", nil, clock),
		function("zxcvbn", "unix_time_milliseconds_imported", nil, clock),
		function("op-time", "utc_offset_seconds", nil, func(_ context.Context, _ *extism.CurrentPlugin, stack []uint64) { stack[0] = 0 }),
		function("op-extism-core", "random_fill_imported", i32, func(_ context.Context, p *extism.CurrentPlugin, stack []uint64) {
			b := make([]byte, api.DecodeU32(stack[0]))
			_, _ = rand.Read(b)
			stack[0], _ = p.WriteBytes(b)
		}),
	}
}

// opener opens something and closes it again. Between the two it calls while, if there is one.
type opener struct {
	name string
	open func(ctx context.Context, while func()) error
}

// openPlugin compiles and instantiates, as a program does that uses go-sdk.
func openPlugin(s source, functions ...extism.HostFunction) opener {
	return opener{s.name, func(ctx context.Context, while func()) error {
		compiled, err := compile(ctx, s.wasm, functions...)
		if err != nil {
			return err
		}
		defer compiled.Close(ctx)
		if _, err := instance(ctx, compiled); err != nil {
			return err
		}
		while()
		return nil
	}}
}

// openClient is New of our library for Go.
var openClient = opener{"our library for Go: New", func(ctx context.Context, while func()) error {
	client, err := rostering.New(ctx, rostering.Config{
		Environment: rostering.Stage, AuthURL: config["auth_url"], BaseURL: config["base_url"],
		ClientID: config["client_id"], ClientSecret: rostering.Secret(config["client_secret"]),
	})
	if err != nil {
		return err
	}
	while()
	return client.Close()
}}

// opening measures from the file to an instance.
func (d *document) opening(ctx context.Context) error {
	rows := [][]string{{"", "least time", "median", "next to New", "allocated", "kept while open"}}
	chart := &report.Chart{Title: "To compile and open: ms, logarithmic"}
	openers := []opener{openClient}
	for _, s := range d.sources {
		openers = append(openers, openPlugin(s))
	}
	core, err := onePassword()
	if err != nil {
		return err
	}
	for _, s := range core {
		openers = append(openers, openPlugin(s, onePasswordFunctions()...))
	}
	var calls []func() error
	for _, o := range openers {
		calls = append(calls, func() error { return o.open(ctx, func() {}) })
	}
	all, err := race(5, 0, calls)
	if err != nil {
		return err
	}
	for i, o := range openers {
		bytes, err := allocated(1, calls[i])
		if err != nil {
			return err
		}
		before, after := heap(), int64(0)
		if err := o.open(ctx, func() { after = heap() }); err != nil {
			return err
		}
		s := all[i]
		rows = append(rows, []string{o.name, milli(s.least()), milli(s.median()), two(s.beside(all[0]).median), megabytes(bytes), megabytes(after - before)})
		chart.Bars = append(chart.Bars, report.Bar{Label: o.name, Text: milli(s.least()), Value: s.least() / 1e6, Second: o.name != ours && i > 0})
	}
	d.table("opening", rows...)
	d.charts["opening"] = chart
	return nil
}

// allocated returns how many bytes of the heap one of several calls takes.
func allocated(times int, call func() error) (int64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		if err := call(); err != nil {
			return 0, err
		}
	}
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc-before.TotalAlloc) / int64(times), nil
}

// heap is what is in use of it. In wazero it holds the plugins' memories, too.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what has a finalizer goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
