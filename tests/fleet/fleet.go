package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"automatic-rostering/tests/sandbox/service"
)

// fleet is a number of processes with their sandbox and their Redis.
type fleet struct {
	*service.Sandbox
	redis   *redisServer // nil if they do not share
	workers []*worker
	calls   int
	tokens  map[string]int64 // all that were used, by hash, with their expiry
	began   func(p program) (*worker, error)
}

// options say how a fleet starts.
type options struct {
	alone    bool          // without Redis
	lifetime time.Duration // of tokens
	lock     time.Duration // of the lock; the examples' own if zero
}

// start starts a fleet with processes of each program in turn. Its end is close.
func start(ctx context.Context, programs []program, n int, o options) (f *fleet, err error) {
	f = &fleet{tokens: map[string]int64{}}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	if f.Sandbox, err = service.Start(ctx, service.Config{Lifetime: o.lifetime}); err != nil {
		return f, err
	}
	id, secret := f.Client(service.Stage)
	variables := []string{
		"ROSTERING_AUTH_URL=" + f.AuthURL(), "ROSTERING_BASE_URL=" + f.BaseURL(),
		"ROSTERING_ENVIRONMENT=" + service.Stage,
		"ROSTERING_CLIENT_ID=" + id, "ROSTERING_CLIENT_SECRET=" + secret,
		"ROSTERING_CUSTOMER_ID=customer", "ROSTERING_USER_ID=user",
		"ROSTERING_WASM=", "ROSTERING_REDIS=", "ROSTERING_LOCK=",
	}
	if !o.alone {
		if f.redis, err = startRedis(ctx, rand.Text()); err != nil {
			return f, err
		}
		variables = append(variables, "ROSTERING_REDIS="+f.redis.url)
	}
	if o.lock != 0 {
		variables = append(variables, fmt.Sprintf("ROSTERING_LOCK=%g", o.lock.Seconds()))
	}
	f.began = func(p program) (*worker, error) { return p.start(ctx, variables) }
	for i := range n {
		if err := f.join(programs[i%len(programs)]); err != nil {
			return f, err
		}
	}
	return f, f.call(0) // all have begun
}

// join starts one more process.
func (f *fleet) join(p program) error {
	w, err := f.began(p)
	if err == nil {
		f.workers = append(f.workers, w)
	}
	return err
}

// call has all processes make calls at the same time.
func (f *fleet) call(calls int) error {
	var (
		answers = make([]answer, len(f.workers))
		errs    = make([]error, len(f.workers))
		all     sync.WaitGroup
	)
	for i, w := range f.workers {
		all.Go(func() { answers[i], errs[i] = w.call(calls) })
	}
	all.Wait()
	for _, a := range answers {
		f.calls += a.Calls
		if a.Token != "" {
			f.tokens[a.Token] = a.ExpiresAt
		}
	}
	return errors.Join(errs...)
}

// requests is how many tokens were asked for until now.
func (f *fleet) requests() int { return int(f.Counts().TokenRequests) }

// due waits until the newest token is to be renewed. Half of its lifetime before its
// expiry it is; which is in whole seconds, and was noted by some a little later.
func (f *fleet) due(ctx context.Context, lifetime time.Duration) error {
	var newest int64
	for _, expiresAt := range f.tokens {
		newest = max(newest, expiresAt)
	}
	at := time.Unix(newest, 0).Add(-2 * lifetime / 5)
	select {
	case <-time.After(time.Until(at)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// log is what the processes have written to standard error. They must have ended.
func (f *fleet) log() (text string) {
	for _, w := range f.workers {
		text += w.log.String()
	}
	return text
}

func (f *fleet) close() {
	var all sync.WaitGroup
	for _, w := range f.workers {
		all.Go(w.close)
	}
	all.Wait()
	if f.redis != nil {
		f.redis.end()
	}
	if f.Sandbox != nil {
		_ = f.Sandbox.Close()
	}
}

// until waits for what a function looks for.
func until(ctx context.Context, found func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if ok, err := found(); ok || err != nil {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
