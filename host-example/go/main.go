// The host example lists the jobs of the Automatic Rostering service and prints the
// service's answer:
//
//	go run .
//
// Its config is in environment variables; see README.md. The answer goes to standard
// output, everything else to standard error.
package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/examples/environment"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		explain(os.Stderr, err)
		os.Exit(1)
	}
}

// run lists the jobs once.
func run(ctx context.Context, getenv func(string) string, stdout, stderr io.Writer) error {
	config, err := environment.Config(getenv)
	if err != nil {
		return err
	}
	options, err := environment.Options(getenv)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	client, err := rostering.New(ctx, config, append(options, rostering.WithLogger(logger))...)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close(context.WithoutCancel(ctx)) }() // ctx may have ended

	jobs, err := client.ListJobs(ctx)
	if err != nil {
		return err
	}
	_, err = stdout.Write(jobs.Body)
	return err
}
