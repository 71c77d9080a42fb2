// Serverless lists the jobs once and exits, like a function that is started anew for each
// call. The token outlives the process in a directory; without it, each call would
// request a token. So does the compiled plugin.
//
//	ROSTERING_STORE=/run/my-service serverless
//
// README.md has the other variables. The answer goes to standard output; a line on
// standard error says how long the start took and how many requests were sent.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/examples/environment"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := handle(ctx, os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// counter counts requests.
type counter struct{ atomic.Int64 }

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.Add(1)
	return http.DefaultTransport.RoundTrip(r)
}

// handle handles one call.
func handle(ctx context.Context, getenv func(string) string, stdout, stderr io.Writer) error {
	started := time.Now()
	config, err := environment.Config(getenv)
	if err != nil {
		return err
	}
	dir := getenv("ROSTERING_STORE")
	if dir == "" {
		return errors.New("set ROSTERING_STORE to a directory for the token")
	}
	options, err := environment.Options(getenv)
	if err != nil {
		return err
	}
	var requests counter
	client, err := rostering.New(ctx, config, append(options,
		rostering.WithCacheDir(filepath.Join(dir, "compiled")), rostering.WithHTTPClient(&http.Client{Transport: &requests}))...)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close(context.WithoutCancel(ctx)) }()
	ready := time.Since(started)

	jobs, err := client.ListJobs(ctx)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stderr, "plugin ready after %d ms, jobs after %d ms, %d requests\n",
		ready.Milliseconds(), time.Since(started).Milliseconds(), requests.Load())
	_, err = stdout.Write(jobs.Body)
	return err
}
