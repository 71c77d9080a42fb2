// Command fleet shows how processes in five languages share one token through Redis,
// against a sandbox and a redis-server that it starts and ends itself:
//
//	go run ./cmd/fleet [-n 10]
//
// It fails if a call fails, or if more tokens were requested than must be.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	n := flag.Int("n", 10, "how many processes, of the languages in turn")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, *n)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// run shows all cases, each as soon as it is over.
func run(ctx context.Context, w io.Writer, n int) error {
	if n < len(programs) {
		return fmt.Errorf("-n is %d, but there are %d programs", n, len(programs))
	}
	if err := errors.Join(checkRedis(), build(ctx)); err != nil {
		return err
	}
	const row = "%9v  %6v  %14v  %v\n"
	fmt.Fprintf(w, row, "processes", "calls", "token requests", "what happens")
	for _, c := range cases {
		r, err := c.run(ctx, n)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(w, row, r.processes, r.calls, r.requests, c.name)
	}
	return nil
}
