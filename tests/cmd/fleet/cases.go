package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"automatic-rostering/tests/sandbox"
)

// fleetCase is something that happens to a fleet.
type fleetCase struct {
	name string
	options
	play func(ctx context.Context, f *fleet) error
	// least and most are how many tokens n processes must, and may, request.
	least, most func(n int) int
}

var cases = []fleetCase{
	{"all begin, each with a token of its own", options{alone: true}, begin, each, each},
	{"all begin", options{}, begin, exactly(1), exactly(1)},
	{"a Node process begins, then the others", options{}, first("node"), exactly(1), exactly(1)},
	{"a Rust process begins, then the others", options{}, first("rust"), exactly(1), exactly(1)},
	{"the token is to be renewed, twice", short, renewals, exactly(3), exactly(3)},
	{"a Go process is killed while it requests the token", options{}, death("go"), exactly(2), exactly(2)},
	{"Redis is killed, and the token is to be renewed", short, withoutRedis, oneAndEach, oneAndEach},
	{"the token is revoked; later one more begins", options{}, revocation, exactly(2), exactly(2)},
}

var short = options{lifetime: 12 * time.Second}

func each(n int) int                   { return n }
func oneAndEach(n int) int             { return 1 + n }
func exactly(tokens int) func(int) int { return func(int) int { return tokens } }

// result is what a case came to.
type result struct{ processes, calls, requests int }

// run plays the case and judges the count.
func (c fleetCase) run(ctx context.Context, n int) (r result, err error) {
	for range 3 {
		if r, err = c.try(ctx, n); !errors.Is(err, errSlow) {
			break
		}
	}
	least, most := c.least(n), c.most(n)
	if err == nil && (r.requests < least || r.requests > most) {
		err = fmt.Errorf("%d token requests, not %d to %d", r.requests, least, most)
	}
	return r, err
}

func (c fleetCase) try(ctx context.Context, n int) (r result, err error) {
	f, err := start(ctx, n, c.options)
	if err == nil {
		err = c.play(ctx, f)
	}
	if err == nil {
		r = result{f.started, f.calls, f.requests()}
	}
	log, leaks := f.close()
	switch {
	case leaks:
		return r, errors.New("a secret or a token is in what the processes wrote")
	case err != nil:
		return r, fmt.Errorf("%w\n%s", err, log)
	}
	return r, nil
}

// begin delays the tokens, so that all are there before the first of them.
func begin(_ context.Context, f *fleet) error {
	if err := f.SetFault(sandbox.AuthServer, sandbox.Fault{Delay: time.Second}); err != nil {
		return err
	}
	return f.call(5)
}

// first shows that the other language can read what one has put into Redis.
func first(language string) func(context.Context, *fleet) error {
	return func(_ context.Context, f *fleet) error {
		if _, err := f.workers[f.of(language)].call(1); err != nil {
			return err
		}
		f.calls++
		return f.call(5)
	}
}

func renewals(ctx context.Context, f *fleet) error {
	if err := f.call(3); err != nil {
		return err
	}
	for want := 2; want <= 3; want++ {
		if err := f.callWhenDue(ctx, 3); err != nil {
			return err
		}
		if got := f.requests(); got != want {
			return fmt.Errorf("%d token requests by then, not %d", got, want)
		}
	}
	return nil
}

// death kills a process while it requests the token that all wait for. The others wait until its
// lock has expired.
func death(language string) func(context.Context, *fleet) error {
	return func(ctx context.Context, f *fleet) error {
		if err := f.SetFault(sandbox.AuthServer, sandbox.Fault{Hold: true, Requests: 1}); err != nil {
			return err
		}
		i := f.of(language)
		first := f.workers[i]
		f.workers = slices.Delete(f.workers, i, i+1)
		defer first.close()
		defer first.kill()
		asked := make(chan error, 1)
		go func() {
			_, err := first.call(1)
			asked <- err
		}()
		patient, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if _, err := f.Wait(patient, sandbox.Counts{TokenRequests: 1}); err != nil {
			return err
		}
		called := make(chan error, 1)
		go func() { called <- f.call(5) }()
		first.kill()
		if err := <-asked; err == nil {
			return errors.New("a process had its token before it was killed")
		}
		return <-called
	}
}

func withoutRedis(ctx context.Context, f *fleet) error {
	begun := time.Now()
	if err := f.call(3); err != nil {
		return err
	}
	f.redis.end()
	if err := f.call(3); err != nil { // with the token that they have
		return err
	}
	if err := f.slow(begun); err != nil {
		return err
	}
	if got := f.requests(); got != 1 {
		return fmt.Errorf("%d token requests by then, not 1", got)
	}
	return f.callWhenDue(ctx, 3)
}

// revocation also has one more process begin afterwards, which needs no token of its own.
func revocation(ctx context.Context, f *fleet) error {
	if err := f.call(3); err != nil {
		return err
	}
	f.Revoke()
	if err := f.call(3); err != nil {
		return err
	}
	recovered := f.requests()
	if err := f.join(ctx, programs[0]); err != nil {
		return err
	}
	if err := f.call(3); err != nil {
		return err
	}
	if got := f.requests(); got != recovered {
		return fmt.Errorf("%d token requests after the revocation was over", got-recovered)
	}
	return nil
}
