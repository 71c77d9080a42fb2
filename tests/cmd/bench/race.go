package main

import (
	"runtime"
	"slices"
	"syscall"
	"time"
)

// series are the nanoseconds of a call, one figure for each round: of the process's CPU, which
// does not count other programs and does count the garbage collector; or, of single calls, of time.
type series []float64

func (s series) least() float64 { return slices.Min(s) }

// quantile returns the figure below which the share q of all lies.
func (s series) quantile(q float64) float64 {
	return slices.Sorted(slices.Values(s))[int(q*float64(len(s)-1)+0.5)]
}

func (s series) median() float64 { return s.quantile(0.5) }

// comparison holds one series against another of the same rounds.
type comparison struct {
	least     float64 // of the least figures
	median    float64 // of the ratios of all rounds
	low, high float64 // between which their middle half lies
}

func (s series) beside(peer series) comparison {
	ratios := make(series, len(s))
	for i := range s {
		ratios[i] = s[i] / peer[i]
	}
	return comparison{s.least() / peer.least(), ratios.median(), ratios.quantile(0.25), ratios.quantile(0.75)}
}

// race makes calls in turns, in blocks of about block, so that a machine that slows down slows
// all of them. Each round begins with another one, and each block with a collected heap. With a
// block of 0 it is one call each.
func race(rounds int, block time.Duration, runners []func() error) ([]series, error) {
	sizes, all := make([]int, len(runners)), make([]series, len(runners))
	for i, run := range runners {
		sizes[i] = 1
		if block == 0 {
			continue
		}
		took := block
		for range 20 { // the least of which is without a pause for the garbage collector
			began := time.Now()
			if err := run(); err != nil {
				return nil, err
			}
			took = min(took, time.Since(began))
		}
		sizes[i] = max(1, int(block/max(took, 1)))
	}
	for round := range rounds {
		for i := range runners {
			i = (i + round) % len(runners)
			runtime.GC()
			began, before := time.Now(), computed()
			for range sizes[i] {
				if err := runners[i](); err != nil {
					return nil, err
				}
			}
			took := time.Since(began)
			if block > 0 {
				took = computed() - before
			}
			all[i] = append(all[i], float64(took)/float64(sizes[i]))
		}
	}
	return all, nil
}

// computed is the CPU time of this process.
func computed() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
