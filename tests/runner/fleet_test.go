package runner

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"automatic-rostering/tests/runner/canary"
	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
	"automatic-rostering/tests/runner/world"
)

// A stage is something that happens to a fleet, and how many tokens its processes may request then: between least and most,
// and each of them one more.
type stage struct {
	name        string
	play        func(*fleet)
	least, most int
	each        bool
}

var stories = []struct {
	name      string
	languages []string
	store     func(*fleet)
	stages    []stage
}{
	{"no store", []string{"go", "rust"}, func(*fleet) {}, []stage{
		{"all start, and each requests its own token", begin, 0, 0, true},
	}},
	{"Redis", []string{"go", "node", "python", "java", "rust", "c"}, redisStore, []stage{
		{"all start", begin, 1, 1, false},
		{"the token is revoked, and each process in turn is the first to notice", turns, 0, 0, true},
		{"a process is killed while it requests the token", death, 2, 2, false},
		{"one more process starts", newcomer, 0, 0, false},
		{"a process is stopped while it requests the token, until its lock has expired", stopped, 2, 2, false},
		{"Redis is stopped, and the token revoked; when it continues, again", pausedRedis, 1, 1, true},
		{"Redis restarts empty, and the token is revoked until all have noticed", emptyRedis, 1, 30, false},
		{"Redis is full, and the token revoked", fullRedis, 0, 0, true},
		{"the token expires, twice", renewals, 2, 2, false},
		{"Redis is killed, and the token expires", withoutRedis, 0, 0, true},
	}},
	// Two processes that find the same expired lock may both take it: see docs/fleet.md.
	{"a folder", []string{"node", "python", "java", "rust", "c", "go"}, folderStore, []stage{
		{"all start", begin, 1, 1, false},
		{"the token is revoked, and each process in turn is the first to notice", turns, 0, 0, true},
		{"a process is killed while it requests the token", death, 2, 3, false},
		{"one more process starts", newcomer, 0, 0, false},
		{"the token expires, twice", renewals, 2, 4, false},
		{"the folder has two files, the token's and the lock's", settled, 0, 0, false},
	}},
}

// Processes in several languages share one token through a Redis server, and through a folder: in each stage no call may fail,
// and only so many tokens may be requested as the rules allow. One process of each language shows all that more would; a
// language that is alone has two. make run-fleet shows it.
func TestFleet(t *testing.T) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			languages := slices.DeleteFunc(slices.Clone(s.languages), func(language string) bool { return !hosts.Wanted(language) })
			if len(languages) == 0 {
				t.Skip("HOSTS omits all of its languages")
			}
			if len(languages) == 1 {
				languages = append(languages, languages...)
			}
			for _, language := range languages {
				hosts.Setup(t, language, "adapter")
			}
			f := &fleet{T: t, World: world.New(), log: canary.Watch{Secrets: []string{rule.Secret, rule.TokenPrefix + "00"}}}
			f.log.To = &f.written
			t.Cleanup(f.end)
			s.store(f)
			for _, language := range languages {
				f.join(language)
			}
			for _, stage := range s.stages {
				f.play(stage)
			}
		})
	}
}

// fleet is a number of processes with their servers and their store.
type fleet struct {
	*testing.T
	*world.World
	redis   *world.Redis // or nil
	store   *protocol.Store
	workers []*worker
	gone    []*worker
	log     canary.Watch // to which the processes write
	written bytes.Buffer // of log
	reports []report     // of the last calls, of the workers in turn
	skipped int64        // seconds that their clocks are ahead
}

func (f *fleet) end() {
	for _, w := range append(f.workers, f.gone...) {
		_ = w.Close()
		for _, l := range w.Logs("c") {
			fmt.Fprintln(&f.log, w.language, l.Line)
		}
	}
	if f.redis != nil {
		f.redis.End()
	}
	f.Close()
	if err := f.log.Err(); err != nil {
		f.Error("a process: ", err)
	} else if f.Failed() {
		f.Log(f.written.String())
	}
}

func redisStore(f *fleet) {
	hosts.RequireRedis(f.T)
	password := rand.Text()
	f.log.Secrets = append(f.log.Secrets, password)
	var err error
	f.redis, err = world.StartRedis(f.Context(), password)
	f.must(err)
	f.store = &protocol.Store{Name: "s", Kind: "redis", URL: f.redis.URL}
}

// folderStore names a folder that does not exist yet.
func folderStore(f *fleet) {
	f.store = &protocol.Store{Name: "s", Kind: "folder", Folder: filepath.Join(f.TempDir(), "store")}
}

func (f *fleet) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// play plays a stage, and judges the number of token requests.
func (f *fleet) play(s stage) {
	before, began := f.requests(), time.Now()
	s.play(f)
	requests := f.requests() - before
	if s.each {
		s.least, s.most = s.least+len(f.workers), s.most+len(f.workers)
	}
	if requests < s.least || requests > s.most {
		f.Fatalf("%s: %d token requests, not %d to %d", s.name, requests, s.least, s.most)
	}
	f.Logf("%d processes, %2d token requests (%d to %d), %4v: %s",
		len(f.workers), requests, s.least, s.most, time.Since(began).Round(100*time.Millisecond), s.name)
}

// requests is how many tokens were requested until now.
func (f *fleet) requests() int { return f.Servers["auth"].Count() }

// worker is a process of the fleet: the adapter of a library, with one client.
type worker struct {
	*protocol.Process
	language string
}

// join starts one more process.
func (f *fleet) join(language string) {
	p, err := hosts.Library(language).Process(f.Context(), &f.log)
	f.must(err)
	w := &worker{p, language}
	f.workers = append(f.workers, w)
	_, err = w.do(protocol.Request{Op: "open", Config: f.Config(), Open: protocol.Open{Store: f.store, Clock: true}})
	f.must(err)
}

func (w *worker) do(r protocol.Request) (a protocol.Response, err error) {
	r.Client = "c"
	if a, err = w.Do(r); err == nil && a.Error+a.Trap+a.Misuse != "" {
		err = errors.New(a.Error + a.Trap + a.Misuse)
	}
	if err != nil {
		err = fmt.Errorf("a %s process: %w", w.language, err)
	}
	return a, err
}

func (w *worker) signal(s syscall.Signal) error { return syscall.Kill(w.PID(), s) }

// report is the token of a process after its calls.
type report struct {
	Token     string `json:"access_token"`
	ExpiresAt int64  `json:"expires_at"`
}

// now is the time by the clocks of the processes.
func (f *fleet) now() int64 { return time.Now().Unix() + f.skipped }

// callOne has a process make calls, none of which may fail.
func (f *fleet) callOne(w *worker, calls int) (r report, err error) {
	now := f.now()
	for range calls {
		if _, err = w.do(protocol.Request{Op: "list_jobs", Call: protocol.Call{Now: &now}}); err != nil {
			return r, err
		}
	}
	a, err := w.do(protocol.Request{Op: "get_token", Call: protocol.Call{Now: &now}})
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(a.Token, &r)
}

// call has all processes make calls at the same time.
func (f *fleet) call(calls int) {
	f.Helper()
	f.reports = make([]report, len(f.workers))
	errs := make([]error, len(f.workers))
	var all sync.WaitGroup
	for i, w := range f.workers {
		all.Go(func() { f.reports[i], errs[i] = f.callOne(w, calls) })
	}
	all.Wait()
	f.must(errors.Join(errs...))
}

// callUntil has all processes make calls, a second apart, until something is so.
func (f *fleet) callUntil(so func() bool) {
	f.Helper()
	for end := time.Now().Add(world.Patience); !so(); f.call(1) {
		if time.Now().After(end) {
			f.Fatal("waited too long")
		}
		time.Sleep(100 * time.Millisecond)
		f.skipped++
	}
}

// expiry is that of the newest token.
func (f *fleet) expiry() int64 {
	return slices.MaxFunc(f.reports, func(a, b report) int { return cmp.Compare(a.ExpiresAt, b.ExpiresAt) }).ExpiresAt
}

// hold has the token endpoint hold its responses back during some calls, until as many requests have come.
func (f *fleet) hold(requests int, calls, then func()) {
	f.Helper()
	auth := f.Servers["auth"]
	auth.Hold(true)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		calls()
	}()
	var held []*world.Request
	for range requests {
		r, err := auth.Next()
		f.must(err)
		held = append(held, r)
	}
	auth.Hold(false)
	then()
	for _, r := range held {
		r.Respond()
	}
	<-ended
}

// begin holds the token back until all processes have been asked for it.
func begin(f *fleet) {
	requests := 1
	if f.store == nil {
		requests = len(f.workers)
	}
	f.hold(requests, func() { f.call(5) }, func() {
		for _, w := range f.workers {
			_, err := w.do(protocol.Request{Op: "versions"})
			f.must(err)
		}
	})
}

// turns shows that every language can read what any other has put into the store.
func turns(f *fleet) {
	for _, w := range f.workers {
		f.Revoke()
		first, err := f.callOne(w, 1)
		f.must(err)
		f.call(1)
		for i, a := range f.reports {
			if a.Token != first.Token {
				f.Fatalf("a %s process has another token than the %s process that requested it", f.workers[i].language, w.language)
			}
		}
	}
}

// withoutFirst revokes the token, takes the first process out of the fleet while it requests the next one, sends it a signal,
// and has the others make calls, which wait until its lock has expired. It returns how the call of that process ended.
func (f *fleet) withoutFirst(s syscall.Signal) (first *worker, err error) {
	f.Revoke()
	first, f.workers = f.workers[0], f.workers[1:]
	f.gone = append(f.gone, first)
	f.hold(1, func() { _, err = f.callOne(first, 1) }, func() {
		f.must(first.signal(s))
		f.call(5)
		if s == syscall.SIGSTOP {
			f.must(first.signal(syscall.SIGCONT))
		}
	})
	return first, err
}

func death(f *fleet) {
	if _, err := f.withoutFirst(syscall.SIGKILL); err == nil {
		f.Fatal("a process had its token before it was killed")
	}
}

// newcomer starts one more process, which needs no token request, to replace the one that was killed.
func newcomer(f *fleet) {
	f.join(f.gone[0].language)
	f.call(3)
}

// stopped stops a process. When it continues, it has the token that it requested.
func stopped(f *fleet) {
	first, err := f.withoutFirst(syscall.SIGSTOP)
	f.must(err)
	f.workers, f.gone = append(f.workers, first), f.gone[:len(f.gone)-1]
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

// renewals has each next token requested in the background of the calls, which use the old one until it is there.
func renewals(f *fleet) {
	for range 2 {
		f.call(1) // with one token
		due := f.expiry()
		f.skipped += due - 50 - f.now()
		f.call(3)
		f.callUntil(func() bool { return f.expiry() > due })
	}
}

func withoutRedis(f *fleet) {
	f.redis.End()
	f.call(3) // with the token that they have
	f.skipped += f.expiry() - f.now()
	f.call(1)
}

// settled waits until the folder is in order: a renewal in the background may still write to it.
func settled(f *fleet) {
	var files []os.DirEntry
	for end := time.Now().Add(world.Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if files, _ = os.ReadDir(f.store.Folder); len(files) == 2 {
			return
		}
	}
	f.Fatalf("the folder has %v", files)
}
