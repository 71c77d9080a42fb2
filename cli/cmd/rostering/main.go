// Command rostering gets tokens of the Automatic Rostering service, and calls it. docs/cli.md is
// its manual.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"automatic-rostering.example/rostering/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
