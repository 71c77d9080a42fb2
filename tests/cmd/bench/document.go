package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"automatic-rostering/tests/report"
)

// document is what docs/benchmarks.md shows: tables by their names, and charts by their files.
type document struct {
	sources []source
	goals   []goal
	names   []string // of the tables, in order
	tables  map[string]string
	charts  map[string]*report.Chart
}

// goal is a figure that must not be exceeded.
type goal struct {
	what, peer string
	comparison
	most float64
}

// compare measures the plugin next to its peers: everything, or what only names.
func compare(ctx context.Context, wasm, only string) (*document, error) {
	all, err := sources()
	if err != nil {
		return nil, err
	}
	d := &document{sources: all, tables: map[string]string{}, charts: map[string]*report.Chart{}}
	measures := []struct {
		name string
		run  func(context.Context) error
	}{
		{"warm", d.warm},
		{"steps", func(ctx context.Context) error { return d.steps(ctx, wasm) }},
		{"bytes", d.bytes},
		{"opening", d.opening},
		{"memory", d.memory},
		{"cold", d.cold},
	}
	wanted := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	unknown := slices.Clone(wanted)
	for _, measure := range measures {
		unknown = slices.DeleteFunc(unknown, func(name string) bool { return name == measure.name })
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("-only: unknown %s", strings.Join(unknown, ", "))
	}
	for _, measure := range measures {
		if len(wanted) > 0 && !slices.Contains(wanted, measure.name) {
			continue
		}
		if err := measure.run(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", measure.name, err)
		}
	}
	if len(d.goals) > 0 {
		d.goalTable()
	}
	return d, nil
}

// print writes the tables as they are.
func (d *document) print(w io.Writer) {
	for _, name := range d.names {
		fmt.Fprintf(w, "\n%s\n\n%s", name, d.tables[name])
	}
}

// write fills tables and charts into a folder's documents.
func (d *document) write(folder string) error {
	if err := report.Fill(filepath.Join(folder, "benchmarks.md"), "make bench-report", d.tables); err != nil {
		return err
	}
	for file, chart := range d.charts {
		if err := os.WriteFile(filepath.Join(folder, "benchmarks-"+file+".svg"), []byte(chart.SVG()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// table adds a table; the first row is its head.
func (d *document) table(name string, rows ...[]string) {
	var s strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&s, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&s, "|%s\n", strings.Repeat(" --- |", len(row)))
		}
	}
	d.names = append(d.names, name)
	d.tables[name] = s.String()
}

// index returns the index of a source, or -1 for a peer that is missing.
func (d *document) index(name string) int {
	for i, s := range d.sources {
		if s.name == name {
			return i
		}
	}
	return -1
}

// against adds a goal for our series next to that of a peer, if there is one.
func (d *document) against(what string, all []series, peer string, most float64) {
	if i := d.index(peer); i >= 0 {
		d.goals = append(d.goals, goal{what, peer, all[d.index(ours)].beside(all[i]), most})
	}
}

func (d *document) goalTable() {
	rows := [][]string{{"what", "next to", "at most", "measured", "least", "middle half", "met"}}
	chart := &report.Chart{Title: "Each goal and what was measured: percent of the peer, logarithmic"}
	for _, g := range d.goals {
		met := "yes"
		if g.median > g.most {
			met = "no"
		}
		rows = append(rows, []string{g.what, g.peer, two(g.most), two(g.median), two(g.least), two(g.low) + " to " + two(g.high), met})
		chart.Bars = append(chart.Bars,
			report.Bar{Label: g.what, Text: two(g.median), Value: 100 * g.median},
			report.Bar{Label: "    at most, of " + g.peer, Text: two(g.most), Value: 100 * g.most, Second: true})
	}
	d.table("goals", rows...)
	d.charts["goals"] = chart
	d.names = append(d.names, "machine")
	d.tables["machine"] = fmt.Sprintf("%s, %s on %s/%s, %d cores.\n",
		runtime.Version(), strings.Join(versions(), ", "), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}

// versions are those of the host.
func versions() (all []string) {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			switch m.Path {
			case "github.com/extism/go-sdk", "github.com/tetratelabs/wazero":
				all = append(all, path.Base(m.Path)+" "+m.Version)
			}
		}
	}
	return all
}

func two(f float64) string { return fmt.Sprintf("%.2f", f) }

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

func micro(ns float64) string { return fmt.Sprintf("%.1f µs", ns/1e3) }

func milli(ns float64) string { return fmt.Sprintf("%.1f ms", ns/1e6) }

func kilobytes(bytes int64) string {
	return fmt.Sprintf("%.1f KB", math.Round(float64(bytes)/100)/10+0) // + 0: not -0.0
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// warm measures calls with a cached token on both hosts.
func (d *document) warm(ctx context.Context) error {
	const onStub, onSDK = "a stub host", "go-sdk"
	exports := []string{"list_jobs", "get_token"}
	rows := [][]string{{"plugin; least CPU time, median"}}
	for _, s := range d.sources {
		rows = append(rows, []string{s.name})
	}
	for _, on := range []struct {
		host              string
		open              func(context.Context, []byte) (guest, error)
		ofRust, ofC       float64
		rounds            int
		block             time.Duration
		chart, chartTitle string
	}{
		{onStub, openStub, 0.10, 2, 150, 4 * time.Millisecond, "stub", "A warm list_jobs in the plugin alone, and a get_token: µs, logarithmic"},
		{onSDK, openSDK, 0.45, 1.3, 100, 15 * time.Millisecond, "go-sdk", "A warm list_jobs on go-sdk, and a get_token: µs, logarithmic"},
	} {
		var guests []guest
		for _, s := range d.sources {
			g, err := on.open(ctx, s.wasm)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			defer g.close(ctx)
			if err := prove(ctx, g); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			guests = append(guests, g)
		}
		chart := &report.Chart{Title: on.chartTitle, Bars: make([]report.Bar, 2*len(guests))}
		for n, export := range exports {
			var calls []func() error
			for _, g := range guests {
				calls = append(calls, func() error { _, err := g.call(ctx, export); return err })
			}
			all, err := race(on.rounds, on.block, calls)
			if err != nil {
				return err
			}
			what := fmt.Sprintf("%s, %s", export, on.host)
			d.against(what, all, rust, on.ofRust)
			d.against(what, all, cPrepared, on.ofC)
			rows[0] = append(rows[0], what)
			for i, s := range all {
				rows[i+1] = append(rows[i+1], micro(s.least())+", "+micro(s.median()))
				label := d.sources[i].name
				if n > 0 {
					label = "    " + export
				}
				chart.Bars[2*i+n] = report.Bar{Label: label, Text: micro(s.least()), Value: s.least() / 1000, Second: n > 0}
			}
			if on.host != onSDK {
				continue
			}
			rows[0] = append(rows[0], "allocated")
			for i, call := range calls {
				b, err := allocated(200, call)
				if err != nil {
					return err
				}
				rows[i+1] = append(rows[i+1], kilobytes(b))
			}
		}
		d.charts["warm-"+on.chart] = chart
	}
	d.table("warm", rows...)
	return nil
}

// steps measures the call that a library makes.
func (d *document) steps(ctx context.Context, wasm string) error {
	h, err := open(ctx, wasm)
	if err != nil {
		return err
	}
	defer h.close(ctx)
	all, err := race(200, 5*time.Millisecond, []func() error{
		func() error { return call(h.plugin, "begin", begin("list_jobs")) },
		func() error { return calls[warmGetToken].make(h) },
	})
	if err == nil {
		d.goals = append(d.goals, goal{"begin of list_jobs, go-sdk", "get_token of the same", all[0].beside(all[1]), 1.2})
	}
	return err
}

// bytes lists the size of each file.
func (d *document) bytes(context.Context) error {
	rows := [][]string{{"file", "bytes"}}
	chart := &report.Chart{Title: "Size: KB, logarithmic"}
	core, err := onePassword()
	if err != nil {
		return err
	}
	for _, s := range append(d.sources, core...) {
		rows = append(rows, []string{s.name, thousands(len(s.wasm))})
		chart.Bars = append(chart.Bars, report.Bar{
			Label: s.name, Text: kilobytes(int64(len(s.wasm))), Value: float64(len(s.wasm)) / 1000, Second: s.name != ours})
	}
	if i := d.index(rust); i >= 0 {
		r := float64(len(d.sources[d.index(ours)].wasm)) / float64(len(d.sources[i].wasm))
		d.goals = append(d.goals, goal{"bytes", rust, comparison{r, r, r, r}, 0.65})
	}
	d.table("bytes", rows...)
	d.charts["bytes"] = chart
	return nil
}
