// The host example: it lists the jobs of the Automatic Rostering service, and
// prints the service's answer:
//
//	go run .
//
// It reads its config from the environment; see README.md. The answer goes to
// standard output, everything else to standard error.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	extism "github.com/extism/go-sdk"

	"automatic-rostering/host-example/go/environment"
	"automatic-rostering/host-example/go/rostering"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	prepare()
	err := run(ctx, os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		explain(os.Stderr, err)
		os.Exit(1)
	}
}

// prepare sets what go-sdk has one of for the whole process. That is a program's
// business, not a package's.
func prepare() {
	extism.SetLogLevel(extism.LogLevelDebug)
	// go-sdk sends with http.DefaultClient, and looks at allowed_hosts before
	// the first request alone. Following a redirect of the token request could
	// hand the client's secret to another host.
	http.DefaultClient.CheckRedirect = func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}
}

// run lists the jobs once.
func run(ctx context.Context, getenv func(string) string, stdout, stderr io.Writer) error {
	config, err := environment.Config(getenv)
	if err != nil {
		return err
	}
	wasm, err := environment.Wasm(getenv)
	if err != nil {
		return err
	}
	client, err := rostering.OpenFile(ctx, wasm, config, rostering.WithLog(printTo(stderr)))
	if err != nil {
		return err
	}
	// ctx may have ended by then.
	defer func() { _ = client.Close(context.WithoutCancel(ctx)) }()

	jobs, err := client.Jobs(ctx)
	if err != nil {
		return err
	}
	_, err = stdout.Write(jobs)
	return err
}

func printTo(w io.Writer) func(slog.Level, string) {
	return func(level slog.Level, line string) { _, _ = fmt.Fprintf(w, "%-5v %s\n", level, line) }
}
