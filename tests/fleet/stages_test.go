package fleet

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

// begin delays the token, so that all are there before it is.
func begin(f *fleet) {
	f.must(f.SetFault(sandbox.AuthServer, sandbox.Fault{DelayMS: 1000, Requests: len(f.workers)}))
	f.call(5)
	f.ClearFaults()
}

// turns shows that every language can read what any other has put into the store.
func turns(f *fleet) {
	for _, w := range f.workers {
		f.Revoke()
		first, err := w.call(1)
		f.must(err)
		f.calls++
		f.call(1)
		for i, a := range f.reports {
			if a.Token != first.Token {
				f.Fatalf("a %s process has another token than the %s process that requested it", f.workers[i].language, w.language)
			}
		}
	}
}

// holdFirst revokes the token, and takes the first process out of the fleet while it requests the next one, which is held
// back until the faults are cleared. requested gets the end of its call.
func (f *fleet) holdFirst() (first *worker, requested <-chan error) {
	f.must(f.SetFault(sandbox.AuthServer, sandbox.Fault{Hold: true, Requests: 1}))
	before := f.requests()
	f.Revoke()
	first, f.workers = f.workers[0], f.workers[1:]
	f.killed = append(f.killed, first)
	ended := make(chan error, 1)
	go func() {
		_, err := first.call(1)
		ended <- err
	}()
	ctx, cancel := context.WithTimeout(f.Context(), patience)
	defer cancel()
	_, err := f.Wait(ctx, sandbox.Counts{TokenRequests: before + 1})
	f.must(err)
	return first, ended
}

// death kills a process while it requests the token that all wait for. The others wait until its
// lock has expired.
func death(f *fleet) {
	first, requested := f.holdFirst()
	f.must(first.signal(syscall.SIGKILL))
	f.call(5)
	if err := <-requested; err == nil {
		f.Fatal("a process had its token before it was killed")
	}
	f.ClearFaults()
}

// newcomer starts one more process, which needs no token request, to replace the one that was killed.
func newcomer(f *fleet) {
	f.join(f.killed[0].language)
	f.call(3)
}

// stopped stops a process while it requests the token that all wait for. The others wait until its lock has expired; the
// process continues, and has the token that it requested.
func stopped(f *fleet) {
	first, requested := f.holdFirst()
	f.must(first.signal(syscall.SIGSTOP))
	defer func() { _ = first.signal(syscall.SIGCONT) }()
	f.call(5)
	f.must(first.signal(syscall.SIGCONT))
	f.ClearFaults()
	f.must(<-requested)
	f.calls++
	f.workers, f.killed = append(f.workers, first), f.killed[:len(f.killed)-1]
	f.call(1)
}

// pausedRedis stops Redis, so that each process requests a token, and continues it.
func pausedRedis(f *fleet) {
	f.must(f.redis.Signal(syscall.SIGSTOP))
	f.Revoke()
	f.call(2)
	f.must(f.redis.Signal(syscall.SIGCONT))
	f.Revoke()
	f.call(2)
}

// emptyRedis restarts Redis without data. Clients notice when an operation fails, sooner or later: their processes request
// a token each. Then all share one again.
func emptyRedis(f *fleet) {
	f.redis.End()
	f.must(f.redis.Start(f.Context()))
	for range 5 {
		time.Sleep(300 * time.Millisecond) // some clients connect again after a pause
		before := f.requests()
		f.Revoke()
		if f.call(2); f.requests()-before == 1 {
			return
		}
	}
	f.Fatal("the processes do not share a token again")
}

func fullRedis(f *fleet) {
	f.must(f.redis.Limit(1))
	f.Revoke()
	f.call(2)
	f.must(f.redis.Limit(0))
}

// shorten has all get the same token, which lives for seconds, as will those that follow.
func (f *fleet) shorten() {
	if f.lifetime != 0 { // the stage is played again
		f.callAt(f.expiry(), 3)
		return
	}
	f.lifetime = 12 * time.Second
	f.must(f.SetLifetime(f.lifetime))
	f.Revoke()
	f.call(3)
}

// callWhenDue has all processes make calls once the newest token is to be renewed, also
// for those that saw it late: the lifetime is what they saw of it.
func (f *fleet) callWhenDue() { f.callAt(f.expiry().Add(-f.lifetime/5), 3) }

// renewals begins with a token that lives for seconds. Each next one is requested in the background of the calls, which
// use the old one until it is there.
func renewals(f *fleet) {
	f.shorten()
	for range 2 {
		due, before := f.expiry(), f.requests()
		f.callWhenDue()
		f.callUntil(func() bool { return f.expiry().After(due) })
		if f.requests() == before {
			f.Fatal("no token was requested")
		}
	}
}

func withoutRedis(f *fleet) {
	before := f.requests()
	f.shorten()
	f.redis.End()
	f.call(3) // with the token that they have
	if got := f.requests() - before; got != 1 {
		f.Fatalf("%d token requests by then, not 1", got)
	}
	f.callWhenDue()
	f.callUntil(func() bool { return f.requests()-before > len(f.workers) })
}

// settled waits until the folder is in order: a renewal in the background may still write to it.
func settled(f *fleet) {
	err := f.folderInOrder()
	for end := time.Now().Add(patience); err != nil && time.Now().Before(end); err = f.folderInOrder() {
		time.Sleep(10 * time.Millisecond)
	}
	f.must(err)
}

var (
	storedName  = regexp.MustCompile(`^[0-9a-f]{64}$`)
	storedValue = regexp.MustCompile(`(?s)^[0-9]+\n.+$`)
)

// folderInOrder compares the folder with docs/fleet.md.
func (f *fleet) folderInOrder() error {
	folder, err := os.Stat(f.folder)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(f.folder + "/*")
	if err != nil || len(files) != 2 || folder.Mode().Perm() != 0o700 {
		return fmt.Errorf("the folder has the mode %v and the files %q, not the token's and the lock's; %w", folder.Mode(), files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		content, err2 := os.ReadFile(file)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if info.Mode() != 0o600 || !storedName.MatchString(info.Name()) || !storedValue.Match(content) {
			return fmt.Errorf("the file %s has the mode %v and %d bytes", info.Name(), info.Mode(), len(content))
		}
	}
	return nil
}
