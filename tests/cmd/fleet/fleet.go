package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"automatic-rostering.example/sandbox"
)

// fleet is a number of processes with their sandbox and their store.
type fleet struct {
	*sandbox.Sandbox
	redis     *redisServer // one of the two, or none
	folder    string
	workers   []*worker
	killed    []*worker
	variables []string
	secrets   []string
	reports   []report      // to the last calls, of the workers in turn
	calls     int           // that went well
	longest   time.Duration // that some calls of a process took
	lifetime  time.Duration // of tokens; an hour if zero
}

// start starts n processes of each of the story's languages. close ends them, also if it has failed.
func (f *fleet) start(ctx context.Context, s story, n int) (err error) {
	if f.Sandbox, err = sandbox.Start(ctx, sandbox.Config{}); err != nil {
		return err
	}
	for name, value := range f.Env(sandbox.Stage) {
		f.variables = append(f.variables, name+"="+value)
	}
	_, secret := f.Client(sandbox.Stage)
	f.secrets = append(f.secrets, secret)
	if err := s.start(ctx, f); err != nil {
		return err
	}
	for range n {
		for _, language := range s.languages {
			if err := f.join(ctx, language); err != nil {
				return err
			}
		}
	}
	return f.call(0) // when that is done, all of them are there
}

func noStore(context.Context, *fleet) error { return nil }

func redisStore(ctx context.Context, f *fleet) (err error) {
	password := rand.Text()
	f.secrets = append(f.secrets, password)
	if f.redis, err = startRedis(ctx, password); err != nil {
		return err
	}
	f.variables = append(f.variables, "ROSTERING_STORE="+f.redis.url)
	return nil
}

// folderStore names a folder that does not exist yet.
func folderStore(_ context.Context, f *fleet) error {
	parent, err := os.MkdirTemp("", "fleet")
	if err != nil {
		return err
	}
	f.folder = filepath.Join(parent, "store")
	f.variables = append(f.variables, "ROSTERING_STORE="+f.folder)
	return nil
}

// join starts one more process.
func (f *fleet) join(ctx context.Context, language string) error {
	w, err := start(ctx, language, f.variables)
	if err != nil {
		return err
	}
	f.workers = append(f.workers, w)
	return nil
}

// call has all processes make calls at the same time.
func (f *fleet) call(calls int) error {
	begun := time.Now()
	f.reports = make([]report, len(f.workers))
	errs := make([]error, len(f.workers))
	var all sync.WaitGroup
	for i, w := range f.workers {
		all.Go(func() { f.reports[i], errs[i] = w.call(calls) })
	}
	all.Wait()
	f.longest = max(f.longest, time.Since(begun))
	for _, a := range f.reports {
		f.calls += a.Calls
	}
	if err := errors.Join(errs...); err != nil || calls == 0 {
		return err
	}
	return f.slow(begun)
}

// shorten has all get the same token, which lives for seconds, as will those that follow.
func (f *fleet) shorten(ctx context.Context) error {
	if f.lifetime != 0 {
		return f.callAt(ctx, f.expiry(), 3)
	}
	f.lifetime = 12 * time.Second
	if err := f.SetLifetime(f.lifetime); err != nil {
		return err
	}
	f.Revoke()
	return f.call(3)
}

// errSlow is a machine that is too slow for a stage. It may be played again.
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
	return f.callAt(ctx, f.expiry().Add(-f.lifetime/5), calls)
}

// callUntil has all processes make calls until something is so.
func (f *fleet) callUntil(ctx context.Context, so func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !so() {
		if err := f.callAt(ctx, time.Now().Add(100*time.Millisecond), 1); err != nil {
			return err
		}
	}
	return nil
}

func (f *fleet) callAt(ctx context.Context, at time.Time, calls int) error {
	select {
	case <-time.After(time.Until(at)):
		return f.call(calls)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// expiry is that of the newest token.
func (f *fleet) expiry() (newest time.Time) {
	for _, a := range f.reports {
		if at := time.Unix(a.ExpiresAt, 0); at.After(newest) {
			newest = at
		}
	}
	return newest
}

// requests is how many tokens were requested until now.
func (f *fleet) requests() int { return f.Counts().TokenRequests }

// close ends all. It gives what the processes wrote to standard error, and whether that
// holds a secret or a token.
func (f *fleet) close() (log string, leaks bool) {
	var all sync.WaitGroup
	workers := append(f.workers, f.killed...)
	for _, w := range workers {
		all.Go(w.close)
	}
	all.Wait()
	if f.redis != nil {
		f.redis.end()
	}
	if f.folder != "" {
		_ = os.RemoveAll(filepath.Dir(f.folder))
	}
	if f.Sandbox != nil {
		_ = f.Sandbox.Close()
	}
	for _, w := range workers {
		if text := w.log.String(); text != "" {
			log += fmt.Sprintf("%s: %s\n", w.language, strings.TrimSpace(text))
		}
	}
	return log, slices.ContainsFunc(append(f.secrets, "eyJ"), func(s string) bool { return strings.Contains(log, s) })
}
