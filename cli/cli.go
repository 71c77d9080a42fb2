// Package cli implements the command rostering.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"automatic-rostering.example/rostering/sdk/go"
)

// The exit statuses.
const (
	statusFix      = 1   // fix the cause
	statusUsage    = 2   // fix the command line or the config
	statusRetry    = 75  // EX_TEMPFAIL of sysexits.h: the same command may succeed later
	statusCanceled = 130 // as of a shell's command that SIGINT ended
)

const description = `Gets tokens of the Automatic Rostering service, and calls it.

The config comes from the flags, the file of --env-file, or the variables ROSTERING_*, in this
order. Exit status: 0; 1: fix the cause; 2: fix the command line or config; 75: retry; 130: canceled.`

type commands struct {
	options

	Check      check      `cmd:"" help:"Check the config, the credentials and the service, step by step."`
	Token      token      `cmd:"" help:"Print an access token."`
	Jobs       jobs       `cmd:"" help:"Print the jobs, as the service sends them."`
	Request    request    `cmd:"" help:"Send a request to the service, and print the response's body."`
	Proxy      proxy      `cmd:"" help:"Run a local proxy that adds the token and the ids to requests."`
	Completion completion `cmd:"" help:"Print a completion script for bash, zsh or fish."`

	Version kong.VersionFlag `help:"Print the version."`
}

// session is what a command runs with.
type session struct {
	*options
	ctx            context.Context
	parser         *kong.Kong
	stdin          io.Reader
	stdout, stderr io.Writer
}

// takeStdin returns standard input, once. A read ends with the context, as that of a file does not.
func (s *session) takeStdin() (io.ReadCloser, error) {
	stdin := s.stdin
	if stdin == nil {
		return nil, usage("the client secret and -d both read standard input: put one of them into a file")
	}
	s.stdin = nil
	read, write := io.Pipe()
	context.AfterFunc(s.ctx, func() { _ = write.CloseWithError(s.ctx.Err()) })
	go func() {
		_, err := io.Copy(write, stdin)
		_ = write.CloseWithError(err)
	}()
	return read, nil
}

// usageError is an error of the command line, or of a file or folder that it names.
type usageError struct{ error }

func usage(format string, values ...any) error { return usageError{fmt.Errorf(format, values...)} }

// Main runs the command of this process. A second signal ends it where it cannot end itself.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Run runs the command with arguments, and returns its exit status.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	var c commands
	ended := -1
	parser, err := kong.New(&c, kong.Name("rostering"), kong.Description(description),
		kong.Vars{"version": rostering.Version}, kong.Writers(stdout, stderr), kong.UsageOnError(),
		kong.Exit(func(status int) { ended = status }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		panic(err) // of the struct above
	}
	parsed, err := parser.Parse(args)
	switch {
	case ended >= 0: // after --help or --version
		return ended
	case err != nil:
		err = usageError{err}
	default:
		if err = checkFlags(parsed); err == nil {
			err = parsed.Run(&session{&c.options, ctx, parser, stdin, stdout, stderr})
		}
	}
	if err == nil {
		return 0
	}
	return report(ctx, stderr, err)
}

// checkFlags rejects a flag that has an empty value, as of a variable that is not set.
func checkFlags(parsed *kong.Context) error {
	for _, part := range parsed.Path {
		if f := part.Flag; f != nil && f.Target.Kind() == reflect.String && f.Target.Len() == 0 {
			return usage("--%s is empty: give it a value, or leave it out", f.Name)
		}
	}
	return nil
}

// report prints an error, and returns the exit status for it.
func report(ctx context.Context, stderr io.Writer, err error) int {
	var shown shownError
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "rostering: canceled")
		return statusCanceled
	case errors.As(err, &shown):
		return shown.status
	}
	e, ours := errors.AsType[*rostering.Error](err)
	if ours {
		err = e // without the URL that http.Client adds
	}
	fmt.Fprintln(stderr, "rostering:", strings.TrimPrefix(err.Error(), "rostering: "))
	if ours && e.Body != "" {
		fmt.Fprintf(stderr, "the response begins with: %.1000s\n", e.Body)
	}
	return statusOf(err)
}

// statusOf returns the exit status for an error.
func statusOf(err error) int {
	var misused usageError
	e, ours := errors.AsType[*rostering.Error](err)
	switch {
	case err == nil:
		return 0
	case errors.As(err, &misused), ours && (e.Code == rostering.CodeConfigMissing || e.Code == rostering.CodeConfigInvalid):
		return statusUsage
	case ours && e.Retryable, !ours && isNetworkError(err):
		return statusRetry
	}
	return statusFix
}

// shownError is an error that the command has printed itself.
type shownError struct{ status int }

func (shownError) Error() string { return "" }

// open opens a client, with the command's options.
func (s *session) open(config rostering.Config, more ...rostering.Option) (*rostering.Client, error) {
	all := append([]rostering.Option{rostering.WithTimeout(s.Timeout)}, more...)
	if s.Verbose {
		handler := slog.NewTextHandler(s.stderr, &slog.HandlerOptions{Level: slog.LevelDebug})
		all = append(all, rostering.WithLogger(slog.New(handler)))
	}
	if s.Cache.folder != "" {
		store, err := rostering.NewFileStore(s.Cache.folder)
		if err != nil {
			return nil, usageError{err}
		}
		all = append(all, rostering.WithStore(store))
	}
	return rostering.New(s.ctx, config, all...)
}

// connect reads the config and opens a client.
func (s *session) connect() (*rostering.Client, rostering.Config, error) {
	config, err := s.config()
	if err != nil {
		return nil, config, err
	}
	client, err := s.open(config)
	return client, config, err
}

func (s *session) printJSON(v any) error {
	encoder := json.NewEncoder(s.stdout)
	encoder.SetEscapeHTML(false)
	if isTerminal(s.stdout) {
		encoder.SetIndent("", "  ")
	}
	return encoder.Encode(v)
}

// isTerminal reports whether people read what is written.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// token is the command token.
type token struct {
	JSON   bool `name:"json" xor:"form" help:"Print the token with its type, expiry and cache key."`
	Header bool `xor:"form" help:"Print the header, for curl -H @FILE."`
	Force  bool `help:"Request a new token even if the cached one is valid."`
}

func (t *token) Run(s *session) error {
	client, _, err := s.connect()
	if err != nil {
		return err
	}
	defer client.Close()
	var options []rostering.TokenOption
	if t.Force {
		options = append(options, rostering.Force())
	}
	got, err := client.GetToken(s.ctx, options...)
	if err != nil {
		return err
	}
	switch text := got.AccessToken.Expose(); {
	case t.JSON:
		return s.printJSON(map[string]any{
			"access_token": text, "token_type": got.Type, "expires_at": got.ExpiresAt.Unix(),
			"expires_in": int64(time.Until(got.ExpiresAt).Seconds()), "cache_key": got.CacheKey,
		})
	case t.Header:
		_, err = fmt.Fprintln(s.stdout, "Authorization: Bearer "+text)
	default:
		_, err = fmt.Fprintln(s.stdout, text)
	}
	return err
}
