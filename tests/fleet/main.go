// Command fleet shows how processes in Node and Python share one token through Redis,
// against a sandbox and a redis-server that it starts and ends itself:
//
//	go run ./fleet [-n 12]
//
// It fails if a call fails, or if more tokens were asked for than must be.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
)

func main() {
	n := flag.Int("n", 12, "how many processes, half of them in Python")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, *n)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// run shows all cases.
func run(ctx context.Context, w io.Writer, n int) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "processes\tcalls\ttoken requests\t  what happens")
	for _, c := range cases {
		r, err := c.run(ctx, programs, n)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(table, "%d\t%d\t%d\t  %s\n", r.processes, r.calls, r.requests, c.name)
	}
	return table.Flush()
}
