// Command bench measures what costs time, always next to a peer in the same run: batches of both
// alternate, and the median of the ratios of each pair counts, so that a busy machine slows both.
//
//	bench libraries  a warm list_jobs of each library: the same requests of its HTTP client
//	bench first      the first call of a process, and clients: the same requests of that HTTP client
//
// It prints tables for docs/benchmarks.md.
package main

import (
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

func main() {
	log.SetFlags(0)
	benches := map[string]func() error{"libraries": libraries, "first": first}
	run := benches[strings.Join(os.Args[1:], " ")]
	if run == nil {
		log.Fatal("usage: bench libraries|first")
	}
	if err := run(); err != nil {
		log.Fatal("bench: ", err)
	}
}

// cost is what a batch of calls takes, such as its time in seconds.
type cost []float64

// compare alternates batches of this project's calls and of a peer's. It returns the median of this
// project's costs, and those of the ratios to the peer's.
func compare(pairs int, ours, peers func() (cost, error)) (own, ratios cost, err error) {
	var all [2][]cost
	for pair := range pairs + 1 { // the first warms up
		var costs [2]cost
		for n := range 2 {
			which := (n + pair) % 2
			if costs[which], err = [2]func() (cost, error){ours, peers}[which](); err != nil {
				return nil, nil, err
			}
		}
		if pair > 0 {
			ratio := slices.Clone(costs[0])
			for i := range ratio {
				ratio[i] /= costs[1][i]
			}
			all[0], all[1] = append(all[0], costs[0]), append(all[1], ratio)
		}
	}
	return medians(all[0]), medians(all[1]), nil
}

// cpu is the CPU time of a process so far, in seconds: see clock_getcpuclockid(3).
func cpu(pid int) float64 {
	var t unix.Timespec
	_ = unix.ClockGettime(int32(^pid<<3|2), &t) // an error leaves 0, whose ratio shows it
	return float64(t.Nano()) / 1e9
}

// medians returns the median of each kind of cost.
func medians(all []cost) (middle cost) {
	for i := range all[0] {
		of := make([]float64, len(all))
		for n, c := range all {
			of[n] = c[i]
		}
		slices.Sort(of)
		middle = append(middle, of[len(of)/2])
	}
	return middle
}

// header prints the first rows of a table, and row another one.
func header(cells ...string) {
	row(cells...)
	row(slices.Repeat([]string{"---"}, len(cells))...)
}

func row(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }

func milliseconds(seconds float64) string { return fmt.Sprintf("%.1f ms", 1e3*seconds) }
func megabytes(kb float64) string         { return fmt.Sprintf("%.1f MB", kb/1000) }
func times(ratio float64) string          { return fmt.Sprintf("%.3g", ratio) }
