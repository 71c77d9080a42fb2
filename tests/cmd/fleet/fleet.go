package main

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"automatic-rostering/tests/sandbox"
)

// options say how a fleet starts.
type options struct {
	alone    bool          // each process for itself, without Redis
	lifetime time.Duration // of tokens; an hour if zero
}

// fleet is a number of processes with their sandbox and their Redis.
type fleet struct {
	options
	*sandbox.Sandbox
	redis     *redisServer
	workers   []*worker
	variables []string
	secrets   []string
	started   int   // processes
	calls     int   // that went well
	newest    int64 // when the newest token expires, in Unix seconds
}

// start starts a fleet of n processes, with the programs taking turns. close ends it, also
// one that has failed to start.
func start(ctx context.Context, n int, o options) (*fleet, error) {
	f := &fleet{options: o}
	if err := f.prepare(ctx); err != nil {
		return f, err
	}
	for i := range n {
		if err := f.join(ctx, programs[i%len(programs)]); err != nil {
			return f, err
		}
	}
	return f, f.call(0) // when that is done, all of them are there
}

func (f *fleet) prepare(ctx context.Context) (err error) {
	if f.Sandbox, err = sandbox.Start(ctx, sandbox.Config{Lifetime: f.lifetime}); err != nil {
		return err
	}
	id, secret := f.Client(sandbox.Stage)
	f.secrets = append(f.secrets, secret)
	f.variables = []string{
		"ROSTERING_AUTH_URL=" + f.AuthURL(), "ROSTERING_BASE_URL=" + f.BaseURL(),
		"ROSTERING_ENVIRONMENT=" + sandbox.Stage, "ROSTERING_CLIENT_ID=" + id, "ROSTERING_CLIENT_SECRET=" + secret,
		"ROSTERING_CUSTOMER_ID=customer", "ROSTERING_USER_ID=user",
		"ROSTERING_WASM=", "ROSTERING_REDIS=",
	}
	if f.alone {
		return nil
	}
	password := rand.Text()
	f.secrets = append(f.secrets, password)
	if f.redis, err = startRedis(ctx, password); err != nil {
		return err
	}
	f.variables = append(f.variables, "ROSTERING_REDIS="+f.redis.url)
	return nil
}

// join starts one more process.
func (f *fleet) join(ctx context.Context, p program) error {
	w, err := p.start(ctx, f.variables)
	if err != nil {
		return err
	}
	f.workers = append(f.workers, w)
	f.started++
	return nil
}

// of is the index of a process in a language.
func (f *fleet) of(language string) int {
	return slices.IndexFunc(f.workers, func(w *worker) bool { return w.language == language })
}

// call has all processes make calls at the same time.
func (f *fleet) call(calls int) error {
	begun := time.Now()
	answers := make([]answer, len(f.workers))
	errs := make([]error, len(f.workers))
	var all sync.WaitGroup
	for i, w := range f.workers {
		all.Go(func() { answers[i], errs[i] = w.call(calls) })
	}
	all.Wait()
	for _, a := range answers {
		f.calls += a.Calls
		f.newest = max(f.newest, a.ExpiresAt)
	}
	if err := errors.Join(errs...); err != nil || calls == 0 {
		return err
	}
	return f.slow(begun)
}

// errSlow is a machine that is too slow for a case. It may be played again.
var errSlow = errors.New("too slow: the next token was due before the calls had ended")

// slow is an error if a token that was requested since then may be due by now: half of
// its lifetime is over, but it expires at a whole second, which may take one off.
func (f *fleet) slow(begun time.Time) error {
	if f.lifetime != 0 && time.Since(begun) > (f.lifetime-time.Second)/2 {
		return errSlow
	}
	return nil
}

// callWhenDue has all processes make calls once the newest token is to be renewed, also
// for those that saw it late: the lifetime is what they saw of it.
func (f *fleet) callWhenDue(ctx context.Context, calls int) error {
	at := time.Unix(f.newest, 0).Add(-f.lifetime / 5)
	select {
	case <-time.After(time.Until(at)):
		return f.call(calls)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// requests is how many tokens were requested until now.
func (f *fleet) requests() int { return f.Counts().TokenRequests }

// close ends all. It gives what the processes wrote to standard error, and whether that
// holds a secret or a token.
func (f *fleet) close() (log string, leaks bool) {
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
	for _, w := range f.workers {
		log += w.log.String()
	}
	return log, slices.ContainsFunc(append(f.secrets, "eyJ"), func(s string) bool { return strings.Contains(log, s) })
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
