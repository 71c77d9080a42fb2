// Command fleet shows how processes in several languages share one token through a Redis server, and through a folder,
// against a sandbox and a redis-server that it starts and ends itself:
//
//	go run ./cmd/fleet [-n 2]
//
// It fails if a call fails, or if another number of tokens was requested than must be.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	n := flag.Int("n", 2, "how many processes of each language")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, *n)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// run runs all stories, and shows each stage as soon as it is over.
func run(ctx context.Context, w io.Writer, n int) error {
	if err := checkRedis(); err != nil {
		return err
	}
	const row = "%-8v  %9v  %6v  %14v  %8v  %8v  %v\n"
	fmt.Fprintf(w, row, "store", "processes", "calls", "token requests", "expected", "longest", "what happens")
	for _, s := range stories {
		err := s.run(ctx, n, func(r result) {
			fmt.Fprintf(w, row, r.story, r.processes, r.calls, r.requests, r.want, r.longest.Round(100*time.Millisecond), r.stage)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
