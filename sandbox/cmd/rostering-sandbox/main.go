// Command rostering-sandbox runs a stand-in for the Automatic Rostering service on loopback: for a command, which
// gets ROSTERING_* in its environment, or without a command until it is interrupted. docs/sandbox.md is its manual.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"automatic-rostering.example/sandbox"
)

const usage = `usage: rostering-sandbox [FLAG ...] [COMMAND [ARGUMENT ...]]

Runs COMMAND, such as pytest, with a local stand-in for the Automatic Rostering service, and exits with its
status. COMMAND gets ROSTERING_* in its environment: the URLs, the credentials, and ROSTERING_SANDBOX_URL, where
tests switch faults on. Without COMMAND, it prints these variables and runs until it is interrupted.

`

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

// parse reads the flags, and the command to run, if any.
func parse(args []string, stderr io.Writer) (c sandbox.Config, command []string, err error) {
	flags := flag.NewFlagSet("rostering-sandbox", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints the error
	flags.DurationVar(&c.Lifetime, "lifetime", sandbox.DefaultLifetime, "how long a token lives, in whole seconds")
	flags.IntVar(&c.Port, "port", 0, "the port of the page and the controls; 0 means any free port")
	flags.StringVar(&c.Host, "listen", "", "a `host` beyond loopback to listen on; anyone who can connect can use the controls")
	flags.StringVar(&c.TLS, "tls", "", "serve TLS, and write the certificate authority to ca.pem in this `folder`")
	if err = flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stderr, usage)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
	}
	command = flags.Args()
	switch {
	case err != nil:
	case c.Lifetime == 0:
		err = errors.New("-lifetime must not be zero")
	case len(command) == 0:
		c.Log = slog.New(slog.NewTextHandler(stderr, nil)) // it would mix with a command's output
	}
	return c, command, err
}

// run runs a sandbox until ctx ends, or the command.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	config, arguments, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := sandbox.Start(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if len(arguments) > 0 {
		return command(ctx, arguments, s.Env(sandbox.Stage), stdin, stdout, stderr)
	}
	if _, err = io.WriteString(stdout, text(s.ControlURL(), s.Env(sandbox.Stage), s.Env(sandbox.Production))); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// text returns the variables as a shell reads them. Only the folder of -tls can have characters to quote.
func text(page string, stage, production map[string]string) string {
	var here, there strings.Builder
	for _, name := range slices.Sorted(maps.Keys(stage)) {
		fmt.Fprintf(&here, "export %s='%s'\n", name, strings.ReplaceAll(stage[name], "'", `'\''`))
		if production[name] != stage[name] {
			fmt.Fprintf(&there, "# export %s='%s'\n", name, production[name])
		}
	}
	return fmt.Sprintf(`# made up: a stand-in for the Automatic Rostering service
# the page and the controls, as in curl %[1]s/counts: %[1]s

%[2]s
# for the production environment, set these instead
%[3]s
# with these set, the command rostering tries them: rostering check
# end with Ctrl-C
`, page, &here, &there)
}

// command runs a command with variables in its environment, and interrupts it when ctx ends.
func command(ctx context.Context, args []string, variables map[string]string, stdin io.Reader, stdout, stderr io.Writer) error {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second // for what an interrupted command has to do
	c.Env = os.Environ()
	for name, value := range variables {
		c.Env = append(c.Env, name+"="+value)
	}
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}
