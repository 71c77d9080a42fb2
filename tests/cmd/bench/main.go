// Command bench measures the cost of a warm call next to a peer in the same run: on go-sdk, in
// time and memory of the host, next to plugins in other languages, and in each client library.
//
//	go run ./cmd/bench
//	go run ./cmd/bench -report ../docs
//
// The calls take turns, so that a machine that slows down slows all of them. On go-sdk a time
// is the shortest of its call; compare only within a run. HOSTS=go,c selects libraries. With
// -report, the comparison with plugins in other languages goes into benchmarks.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

func main() {
	wasm := flag.String("wasm", "../dist/rostering-nowasi.wasm", "the built plugin")
	rounds := flag.Int("n", 3000, "how often each call is made")
	folder := flag.String("report", "", "write benchmarks.md and its charts there, and nothing else")
	only := flag.String("only", "", "with -report: warm, steps, bytes, opening, memory or cold, with commas; all if empty")
	first := flag.String("first-jobs", "", "internal: be the program whose first jobs are timed")
	flag.Parse()
	if err := do(context.Background(), *wasm, *rounds, *folder, *only, *first); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func do(ctx context.Context, wasm string, rounds int, folder, only, first string) error {
	if first != "" {
		return firstJobs(ctx, first)
	}
	if folder == "" {
		if err := run(ctx, os.Stdout, wasm, rounds); err != nil {
			return err
		}
	}
	d, err := compare(ctx, wasm, only)
	if err != nil {
		return err
	}
	if folder != "" {
		return d.write(folder)
	}
	d.print(os.Stdout)
	hosts := strings.FieldsFunc(os.Getenv("HOSTS"), func(r rune) bool { return r == ',' })
	return compareLibraries(os.Stdout, hosts)
}

// cost is what one call costs: its shortest time, and the bytes that the host allocates.
type cost struct {
	time time.Duration
	heap uint64
}

func run(ctx context.Context, w io.Writer, wasm string, rounds int) error {
	costs, err := measure(ctx, wasm, rounds)
	if err != nil {
		return err
	}
	peer := costs[warmGetToken]
	const row = "%-52s %9s %7s %9s %7s\n"
	fmt.Fprintf(w, row, "a call on go-sdk, with a token of 900 bytes", "time", "ratio", "heap", "ratio")
	for i, c := range calls {
		fmt.Fprintf(w, row, c.name,
			fmt.Sprintf("%.1f µs", float64(costs[i].time.Nanoseconds())/1000), ratio(float64(costs[i].time), float64(peer.time)),
			fmt.Sprintf("%d KB", costs[i].heap/1000), ratio(float64(costs[i].heap), float64(peer.heap)))
	}
	return nil
}

func ratio(a, b float64) string { return fmt.Sprintf("%.2f", a/b) }

// measure makes each call rounds times, in turns.
func measure(ctx context.Context, wasm string, rounds int) ([]cost, error) {
	h, err := open(ctx, wasm)
	if err != nil {
		return nil, err
	}
	defer h.close(ctx)
	costs := make([]cost, len(calls))
	heap := make([]uint64, len(calls))
	for i := range costs {
		costs[i].time = time.Hour
	}
	for range rounds {
		for i, c := range calls {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			err := c.make(h)
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			costs[i].time = min(costs[i].time, took)
			heap[i] += after.TotalAlloc - before.TotalAlloc
		}
	}
	for i := range costs {
		costs[i].heap = heap[i] / uint64(rounds)
	}
	return costs, nil
}
