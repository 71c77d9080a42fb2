// Serverless lists the jobs once and ends, as a function does that is started anew for
// each call. The token outlives the process in a file, which stands for whatever store
// there is; without it, each call would ask for a token.
//
//	ROSTERING_TOKEN_FILE=/run/my-service/token.json serverless
//
// README.md tells the other variables. The answer goes to standard output; a line on
// standard error tells what the start took.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"automatic-rostering/host-example/go/environment"
	"automatic-rostering/host-example/go/rostering"
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

// handle handles one call.
func handle(ctx context.Context, getenv func(string) string, stdout, stderr io.Writer) error {
	started := time.Now()
	config, err := environment.Config(getenv)
	if err != nil {
		return err
	}
	wasm, err := environment.Wasm(getenv)
	if err != nil {
		return err
	}
	file := tokenFile(getenv("ROSTERING_TOKEN_FILE"))
	if file == "" {
		return errors.New("set ROSTERING_TOKEN_FILE to where the token is kept between calls")
	}
	driver, err := rostering.OpenDriverFile(ctx, wasm, config)
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(context.WithoutCancel(ctx)) }()
	kept := file.load(ctx, driver)
	ready := time.Since(started)

	jobs, err := driver.Jobs(ctx)
	if err != nil {
		return err
	}
	token, err := driver.Token(ctx) // sends nothing: the call has left one
	if err != nil {
		return err
	}
	from := "the file"
	if !bytes.Equal(token.Object(), kept) {
		from = "the identity provider"
		if err := file.save(token); err != nil { // the next call asks again; this one is done
			_, _ = fmt.Fprintln(stderr, "the token is not kept:", err)
		}
	}
	_, _ = fmt.Fprintf(stderr, "plugin ready after %d ms, jobs after %d ms, token from %s\n",
		ready.Milliseconds(), time.Since(started).Milliseconds(), from)
	_, err = stdout.Write(jobs)
	return err
}
