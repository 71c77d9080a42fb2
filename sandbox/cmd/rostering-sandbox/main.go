// Command rostering-sandbox runs a stand-in for the Automatic Rostering service on loopback: for a command, which gets
// ROSTERING_* in its environment, or without a command until it is interrupted. docs/sandbox.md is its manual.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"automatic-rostering.example/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "rostering-sandbox:", err)
	}
	os.Exit(status(err))
}

// status returns the exit status: that of the command, if the command failed.
func status(err error) int {
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended) && ended.Exited():
		return ended.ExitCode()
	default:
		return 1
	}
}

// options are the flags and arguments of the command line.
type options struct {
	lifetime         time.Duration
	port             int
	listen           string
	tls              string
	json             bool
	untilStdinCloses bool
	command          []string // to run, if any
}

const usage = `usage: rostering-sandbox [FLAG ...] [COMMAND [ARGUMENT ...]]

Runs COMMAND, such as pytest, with a local stand-in for the Automatic Rostering service, and exits with its
status. COMMAND gets ROSTERING_* in its environment: the URLs, the credentials, and ROSTERING_SANDBOX_URL, where
tests switch faults on. Without COMMAND, it prints these variables and runs until it is interrupted.

`

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("rostering-sandbox", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints the error
	flags.DurationVar(&o.lifetime, "lifetime", sandbox.DefaultLifetime, "how long a token lives, in whole seconds")
	flags.IntVar(&o.port, "port", 0, "the port of the page and the controls; 0 means any free port")
	flags.StringVar(&o.listen, "listen", "", "a `host` beyond loopback to listen on; anyone who can connect can use the controls")
	flags.StringVar(&o.tls, "tls", "", "serve TLS, and write the certificate authority to ca.pem in this `folder`")
	flags.BoolVar(&o.json, "json", false, "print one line of JSON")
	flags.BoolVar(&o.untilStdinCloses, "until-stdin-closes", false, "end when standard input is closed")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stderr, usage)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
	}
	if err != nil {
		return o, err
	}
	o.command = flags.Args()
	if len(o.command) > 0 && (o.json || o.untilStdinCloses) {
		return o, fmt.Errorf("use -json and -until-stdin-closes without a command, not with %q", o.command[0])
	}
	if o.lifetime == 0 {
		return o, errors.New("-lifetime must not be zero")
	}
	return o, nil
}

// run runs a sandbox until ctx ends, or stdin closes if a flag says so, or the command ends.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	if len(o.command) > 0 {
		log = nil // it would mix with the command's output
	}
	s, err := sandbox.Start(ctx, sandbox.Config{
		Lifetime: o.lifetime, Port: o.port, Host: o.listen, TLS: o.tls, Log: log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if len(o.command) > 0 {
		if os.Getenv("SANDBOX_PAGE") == "1" {
			fmt.Fprintln(stderr, "the sandbox's page:", s.ControlURL())
		}
		return command(ctx, o.command, s.Env(sandbox.Stage), stdin, stdout, stderr)
	}
	f := newFacts(s)
	if o.json {
		err = json.NewEncoder(stdout).Encode(f)
	} else {
		_, err = io.WriteString(stdout, f.text(o.listen != ""))
	}
	if err != nil {
		return err
	}
	wait(ctx, stdin, o.untilStdinCloses)
	return nil
}

// grace is how long an interrupted command has to end.
const grace = 5 * time.Second

// command runs a command with variables in its environment, and interrupts it when ctx ends.
func command(ctx context.Context, args []string, variables map[string]string, stdin io.Reader, stdout, stderr io.Writer) error {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = grace
	c.Env = os.Environ()
	for name, value := range variables {
		c.Env = append(c.Env, name+"="+value)
	}
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

// wait waits until ctx ends, or stdin closes. If ctx ends, the goroutine that reads stdin stays, because
// nothing can interrupt it, and the process is about to end.
func wait(ctx context.Context, stdin io.Reader, untilStdinCloses bool) {
	closed := make(chan struct{})
	if untilStdinCloses {
		go func() {
			_, _ = io.Copy(io.Discard, stdin)
			close(closed)
		}()
	}
	select {
	case <-ctx.Done():
	case <-closed:
	}
}
