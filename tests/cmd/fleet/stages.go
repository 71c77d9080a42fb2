package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"automatic-rostering.example/sandbox"
)

// story is what happens to one fleet, stage by stage.
type story struct {
	name      string
	languages []string // each with the same number of processes
	start     func(ctx context.Context, f *fleet) error
	stages    []stage
}

// stage is something that happens to a fleet, and how many tokens n processes request then; nil if play judges that.
type stage struct {
	name   string
	play   func(ctx context.Context, f *fleet) error
	tokens func(n int) int
}

var stories = []story{
	{"no store", []string{"go", "rust"}, noStore, []stage{
		{"all start, and each requests its own token", begin, each},
	}},
	{"Redis", []string{"go", "node", "python", "java", "rust"}, redisStore, []stage{
		{"all start", begin, exactly(1)},
		{"the token is revoked, and each process in turn is the first to notice", turns, each},
		{"a process is killed while it requests the token", death, exactly(2)},
		{"one more process starts", newcomer, exactly(0)},
		{"a process is stopped while it requests the token, until its lock has expired", stopped, exactly(2)},
		{"Redis is stopped, and the token revoked; when it continues, again", pausedRedis, eachAndOne},
		{"Redis restarts empty, and the token is revoked until all have noticed", emptyRedis, nil},
		{"Redis is full, and the token revoked", fullRedis, each},
		{"the token expires, twice", renewals, exactly(3)},
		{"Redis is killed, and the token expires", withoutRedis, eachAndOne},
	}},
	{"a folder", []string{"node", "python", "java", "rust", "c", "go"}, folderStore, []stage{
		{"all start", begin, exactly(1)},
		{"the token is revoked, and each process in turn is the first to notice", turns, each},
		{"a process is killed while it requests the token", death, exactly(2)},
		{"one more process starts", newcomer, exactly(0)},
		{"the token expires, twice", renewals, exactly(3)},
		{"the folder is in order", settled, exactly(0)},
	}},
}

func each(n int) int                   { return n }
func eachAndOne(n int) int             { return n + 1 }
func exactly(tokens int) func(int) int { return func(int) int { return tokens } }

// result is how a stage ended.
type result struct {
	story, stage               string
	processes, calls, requests int
	want                       string        // the token requests that the rules allow, or "" if play judges them
	longest                    time.Duration // that some calls of a process took
}

// run plays the story with n processes of each language, and reports each stage that went well.
func (s story) run(ctx context.Context, n int, report func(result)) error {
	f := &fleet{}
	err := f.start(ctx, s, n)
	for _, stage := range s.stages {
		if err != nil {
			break
		}
		var r result
		if r, err = stage.run(ctx, f); err != nil {
			err = fmt.Errorf("%s: %w", stage.name, err)
			break
		}
		r.story = s.name
		report(r)
	}
	log, leaks := f.close()
	switch {
	case leaks:
		return errors.New("a secret or a token is in what the processes wrote")
	case err != nil:
		return fmt.Errorf("%s: %w\n%s", s.name, err, log)
	}
	return nil
}

// run plays the stage, again if the machine was too slow for it, and judges the count.
func (s stage) run(ctx context.Context, f *fleet) (r result, err error) {
	for range 3 {
		calls, requests := f.calls, f.requests()
		f.longest = 0
		if err = s.play(ctx, f); !errors.Is(err, errSlow) {
			r = result{stage: s.name, processes: len(f.workers), calls: f.calls - calls, requests: f.requests() - requests, longest: f.longest}
			break
		}
	}
	if err != nil || s.tokens == nil {
		return r, err
	}
	want := s.tokens(len(f.workers))
	if r.requests != want {
		err = fmt.Errorf("%d token requests, not %d", r.requests, want)
	}
	r.want = fmt.Sprint(want)
	return r, err
}

// begin delays the token, so that all are there before it is.
func begin(_ context.Context, f *fleet) error {
	if err := f.SetFault(sandbox.AuthServer, sandbox.Fault{DelayMS: 1000, Requests: len(f.workers)}); err != nil {
		return err
	}
	defer f.ClearFaults()
	return f.call(5)
}

// turns shows that every language can read what any other has put into the store.
func turns(_ context.Context, f *fleet) error {
	for _, w := range f.workers {
		f.Revoke()
		first, err := w.call(1)
		if err != nil {
			return err
		}
		f.calls++
		if err := f.call(1); err != nil {
			return err
		}
		for i, a := range f.reports {
			if a.Token != first.Token {
				return fmt.Errorf("a %s process has another token than the %s process that requested it", f.workers[i].language, w.language)
			}
		}
	}
	return nil
}

// holdFirst revokes the token, and takes the first process out of the fleet while it requests the next one, which is held
// back. asked gets the end of its call.
func (f *fleet) holdFirst(ctx context.Context) (first *worker, asked <-chan error, err error) {
	if err := f.SetFault(sandbox.AuthServer, sandbox.Fault{Hold: true, Requests: 1}); err != nil {
		return nil, nil, err
	}
	before := f.requests()
	f.Revoke()
	first, f.workers = f.workers[0], f.workers[1:]
	ended := make(chan error, 1)
	go func() {
		_, err := first.call(1)
		ended <- err
	}()
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err = f.Wait(patient, sandbox.Counts{TokenRequests: before + 1})
	return first, ended, err
}

// death kills a process while it requests the token that all wait for. The others wait until its
// lock has expired.
func death(ctx context.Context, f *fleet) error {
	defer f.ClearFaults()
	first, asked, err := f.holdFirst(ctx)
	if first != nil {
		f.killed = append(f.killed, first)
		defer first.kill()
	}
	if err != nil {
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

// stopped stops a process while it requests the token that all wait for. The others wait until its lock has expired; the
// process continues, and has the token that it requested.
func stopped(ctx context.Context, f *fleet) error {
	all := f.workers
	defer func() { f.workers = all }()
	defer f.ClearFaults()
	first, asked, err := f.holdFirst(ctx)
	if err != nil {
		return err
	}
	if err := first.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	err = f.call(5)
	if err := errors.Join(err, first.signal(syscall.SIGCONT)); err != nil {
		return err
	}
	f.ClearFaults()
	if err := <-asked; err != nil {
		return err
	}
	f.calls++
	f.workers = all
	return f.call(1)
}

// pausedRedis stops Redis, so that each process requests a token, and has it go on.
func pausedRedis(_ context.Context, f *fleet) error {
	if err := f.redis.command.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	f.Revoke()
	err := f.call(2)
	if err := errors.Join(err, f.redis.command.Process.Signal(syscall.SIGCONT)); err != nil {
		return err
	}
	f.Revoke()
	return f.call(2)
}

// emptyRedis has Redis begin anew. Clients learn of it by an operation that fails, sooner or later: their processes request
// a token each. Then all share one again.
func emptyRedis(ctx context.Context, f *fleet) error {
	if err := f.redis.restart(ctx); err != nil {
		return err
	}
	got := 0
	for range 5 {
		before := f.requests()
		f.Revoke()
		if err := f.call(2); err != nil {
			return err
		}
		if got = f.requests() - before; got == 1 {
			return nil
		}
	}
	return fmt.Errorf("%d token requests, not 1", got)
}

func fullRedis(_ context.Context, f *fleet) error {
	if err := f.redis.limit(true); err != nil {
		return err
	}
	f.Revoke()
	return errors.Join(f.call(2), f.redis.limit(false))
}

// newcomer starts one more process, which needs no token request, to replace the one that was killed.
func newcomer(ctx context.Context, f *fleet) error {
	if err := f.join(ctx, f.killed[0].language); err != nil {
		return err
	}
	return f.call(3)
}

// renewals begins with a token that lives for seconds. Each next one is requested in the background of the calls, which use the old one
// until it is there.
func renewals(ctx context.Context, f *fleet) error {
	before := f.requests()
	if err := f.shorten(ctx); err != nil {
		return err
	}
	for want := 2; want <= 3; want++ {
		due := f.expiry()
		if err := f.callWhenDue(ctx, 3); err != nil {
			return err
		}
		if err := f.callUntil(ctx, func() bool { return f.expiry().After(due) }); err != nil {
			return err
		}
		if got := f.requests() - before; got != want {
			return fmt.Errorf("%d token requests by then, not %d", got, want)
		}
	}
	return nil
}

func withoutRedis(ctx context.Context, f *fleet) error {
	before := f.requests()
	if err := f.shorten(ctx); err != nil {
		return err
	}
	f.redis.end()
	if err := f.call(3); err != nil { // with the token that they have
		return err
	}
	if got := f.requests() - before; got != 1 {
		return fmt.Errorf("%d token requests by then, not 1", got)
	}
	if err := f.callWhenDue(ctx, 3); err != nil {
		return err
	}
	return f.callUntil(ctx, func() bool { return f.requests()-before > len(f.workers) })
}

var (
	storedName  = regexp.MustCompile(`^([0-9a-f]{64})\.[1-9][0-9]*$`)
	storedValue = regexp.MustCompile(`(?s)^[0-9]+\n.+$`)
)

// settled waits until the folder is in order: a renewal in the background may still write to it.
func settled(ctx context.Context, f *fleet) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := f.folderInOrder()
		if err == nil {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// folderInOrder holds the folder against docs/fleet.md.
func (f *fleet) folderInOrder() error {
	folder, err := os.Stat(f.folder)
	if err != nil {
		return err
	}
	if folder.Mode().Perm() != 0o700 {
		return fmt.Errorf("the folder has the mode %v", folder.Mode())
	}
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		return err
	}
	keys := map[string]bool{}
	for _, entry := range entries {
		name := storedName.FindStringSubmatch(entry.Name())
		if name == nil {
			return fmt.Errorf("there is a file %s", entry.Name())
		}
		keys[name[1]] = true
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(filepath.Join(f.folder, entry.Name()))
		if err != nil {
			return err
		}
		if info.Mode() != 0o600 || !storedValue.Match(content) {
			return fmt.Errorf("the file %s has the mode %v and %d bytes", entry.Name(), info.Mode(), len(content))
		}
	}
	if len(keys) != 2 {
		return fmt.Errorf("it has %d keys, not the token's and the lock's", len(keys))
	}
	return nil
}
