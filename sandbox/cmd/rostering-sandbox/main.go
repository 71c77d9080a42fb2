// Command rostering-sandbox runs a stand-in for the Automatic Rostering service on
// loopback until it is interrupted:
//
//	rostering-sandbox [-lifetime 1h] [-port 8080] [-listen 127.0.0.1] [-json] [-until-stdin-closes]
//
// It prints what a client needs to know to standard output, secrets included,
// and one line for each request to standard error. At the address of the controls it
// serves a page that shows the requests, and has switches for faults. -listen names another
// host than loopback, such as 0.0.0.0: whoever reaches it can use the controls.
//
//	rostering-sandbox [-lifetime 1h] COMMAND [ARGUMENT ...]
//
// runs a command with the same in its environment instead, and ends with it and with its
// exit status. With SANDBOX_PAGE=1 it prints the address of the page first.
package main

import (
	"context"
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

// status is that of the process: the command's own, if that is what failed.
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

// options are what the command line says.
type options struct {
	lifetime         time.Duration
	port             int
	listen           string
	json             bool
	untilStdinCloses bool
	command          []string // to run, if any
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("rostering-sandbox", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints what is wrong
	flags.DurationVar(&o.lifetime, "lifetime", sandbox.DefaultLifetime, "how long a token lives, in whole seconds")
	flags.IntVar(&o.port, "port", 0, "the port of the page and the controls; 0 is a free one")
	flags.StringVar(&o.listen, "listen", "", "another host than loopback to listen on; whoever reaches it can use the controls")
	flags.BoolVar(&o.json, "json", false, "print one line of JSON")
	flags.BoolVar(&o.untilStdinCloses, "until-stdin-closes", false, "end when standard input is closed")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stderr)
		flags.PrintDefaults()
	}
	if err != nil {
		return o, err
	}
	o.command = flags.Args()
	if len(o.command) > 0 && (o.json || o.untilStdinCloses) {
		return o, fmt.Errorf("-json and -until-stdin-closes do not go with a command (%q)", o.command[0])
	}
	if o.lifetime == 0 {
		return o, errors.New("-lifetime must not be zero")
	}
	return o, nil
}

// run runs a sandbox until ctx is done or, if asked to, stdin is closed.
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
		log = nil // its output would be in the command's way
	}
	s, err := sandbox.Start(ctx, sandbox.Config{
		Lifetime: o.lifetime, Port: o.port, Addr: o.listen, Anywhere: o.listen != "", Log: log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if len(o.command) > 0 {
		if os.Getenv("SANDBOX_PAGE") == "1" {
			fmt.Fprintln(stderr, "the sandbox's page:", s.ControlURL())
		}
		return command(ctx, o.command, env(s, sandbox.Stage), stdin, stdout, stderr)
	}
	f := newFacts(s)
	f.exposed = o.listen != ""
	if err := f.print(stdout, o.json); err != nil {
		return err
	}
	wait(ctx, stdin, o.untilStdinCloses)
	return nil
}

// wait leaves a goroutine behind if ctx ends it while stdin is still open:
// nothing can interrupt reading it, and the process is about to end.
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
