// Package fleet tests how processes in several languages share one token through Redis, and through a folder. At no
// stage may a call fail, or more tokens be requested than the rules allow. make run-fleet shows it.
package fleet

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"
	"automatic-rostering/tests/runner/canary"
	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/world"
)

// patience bounds every wait.
const patience = 60 * time.Second

// A stage is something that happens to a fleet, and how many tokens its n processes may request then.
type stage struct {
	name   string
	play   func(*fleet)
	tokens func(n int) (least, most int)
}

func each(n int) (least, most int)       { return n, n }
func eachAndOne(n int) (least, most int) { return n + 1, n + 1 }
func fiveEach(n int) (least, most int)   { return 1, 5 * n }

func exactly(n int) func(int) (least, most int) { return between(n, n) }

func between(least, most int) func(int) (int, int) {
	return func(int) (int, int) { return least, most }
}

var stories = []struct {
	name      string
	languages []string
	store     func(*fleet)
	stages    []stage
}{
	{"no store", []string{"go", "rust"}, func(*fleet) {}, []stage{
		{"all start, and each requests its own token", begin, each},
	}},
	{"Redis", []string{"go", "node", "python", "java", "rust", "c"}, redisStore, []stage{
		{"all start", begin, exactly(1)},
		{"the token is revoked, and each process in turn is the first to notice", turns, each},
		{"a process is killed while it requests the token", death, exactly(2)},
		{"one more process starts", newcomer, exactly(0)},
		{"a process is stopped while it requests the token, until its lock has expired", stopped, exactly(2)},
		{"Redis is stopped, and the token revoked; when it continues, again", pausedRedis, eachAndOne},
		{"Redis restarts empty, and the token is revoked until all have noticed", emptyRedis, fiveEach},
		{"Redis is full, and the token revoked", fullRedis, each},
		{"the token expires, twice", renewals, exactly(3)},
		{"Redis is killed, and the token expires", withoutRedis, eachAndOne},
	}},
	// Two processes that find the same expired lock may both take it: see docs/fleet.md.
	{"a folder", []string{"node", "python", "java", "rust", "c", "go"}, folderStore, []stage{
		{"all start", begin, exactly(1)},
		{"the token is revoked, and each process in turn is the first to notice", turns, each},
		{"a process is killed while it requests the token", death, between(2, 3)},
		{"one more process starts", newcomer, exactly(0)},
		{"the token expires, twice", renewals, between(3, 6)},
		{"the folder is in order", settled, exactly(0)},
	}},
}

// One process of each language shows all that more would; a language that is alone has two.
func TestFleet(t *testing.T) {
	hosts.RequireRedis(t)
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
			f := start(t, s.store)
			for _, language := range languages {
				f.join(language)
			}
			for _, stage := range s.stages {
				f.play(stage)
			}
		})
	}
}

// fleet is a number of processes with their sandbox and their store.
type fleet struct {
	*testing.T
	*sandbox.Sandbox
	redis    *world.Redis // one of the two, or none
	folder   string
	store    *protocol.Store
	workers  []*worker
	killed   []*worker
	log      canary.Watch  // to which the processes write
	written  bytes.Buffer  // of log
	reports  []report      // to the last calls, of the workers in turn
	calls    int           // that succeeded
	longest  time.Duration // that some calls of a process took
	lifetime time.Duration // of tokens; an hour if zero
}

// start starts what a fleet needs, and ends it after the test.
func start(t *testing.T, store func(*fleet)) *fleet {
	s, err := sandbox.Start(t.Context(), sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, secret := s.Client(sandbox.Stage)
	f := &fleet{T: t, Sandbox: s}
	f.log.To, f.log.Secrets = &f.written, []string{secret, "eyJhbGciOi"} // as every token begins
	t.Cleanup(func() { _ = s.Close() })
	store(f)
	t.Cleanup(func() {
		for _, w := range append(f.workers, f.killed...) {
			_ = w.Close()
			for _, l := range w.Logs("c") {
				fmt.Fprintln(&f.log, w.language, l.Line)
			}
		}
		if err := f.log.Err(); err != nil {
			t.Error("a process: ", err)
		} else if t.Failed() {
			t.Log(f.written.String())
		}
	})
	return f
}

func redisStore(f *fleet) {
	password := rand.Text()
	f.log.Secrets = append(f.log.Secrets, password)
	var err error
	f.redis, err = world.StartRedis(f.Context(), password)
	f.must(err)
	f.Cleanup(f.redis.End)
	f.store = &protocol.Store{Name: "s", Kind: "redis", URL: f.redis.URL}
}

// folderStore names a folder that does not exist yet.
func folderStore(f *fleet) {
	f.folder = filepath.Join(f.TempDir(), "store")
	f.store = &protocol.Store{Name: "s", Kind: "folder", Folder: f.folder}
}

func (f *fleet) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// errSlow is a machine that is too slow for a stage, which panics with it.
var errSlow = errors.New("too slow: the next token was due before the calls had ended")

// play plays a stage, again if the machine was too slow for it, and judges the number of token requests.
func (f *fleet) play(s stage) {
	for range 3 {
		calls, requests := f.calls, f.requests()
		f.longest = 0
		if !f.inTime(s.play) {
			continue
		}
		calls, requests = f.calls-calls, f.requests()-requests
		least, most := s.tokens(len(f.workers))
		if requests < least || requests > most {
			f.Fatalf("%s: %d token requests, not %d to %d", s.name, requests, least, most)
		}
		f.Logf("%d processes, %3d calls, %2d token requests (%d to %d), longest %4v: %s",
			len(f.workers), calls, requests, least, most, f.longest.Round(100*time.Millisecond), s.name)
		return
	}
	f.Fatalf("%s: %v", s.name, errSlow)
}

func (f *fleet) inTime(play func(*fleet)) (inTime bool) {
	defer func() {
		if p := recover(); p != nil && p != errSlow {
			panic(p)
		}
	}()
	play(f)
	return true
}

// requests is how many tokens were requested until now.
func (f *fleet) requests() int { return f.Counts().TokenRequests }

// worker is a process of the fleet: the adapter of a library, with one client.
type worker struct {
	*protocol.Process
	language string
}

// join starts one more process.
func (f *fleet) join(language string) {
	p, err := hosts.Library(language).Process(f.Context(), &f.log)
	f.must(err)
	p.Bound = patience
	w := &worker{p, language}
	f.workers = append(f.workers, w)
	_, err = w.do(protocol.Request{Op: "open", Open: protocol.Open{Variables: f.Env(sandbox.Stage), Store: f.store}})
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

// call has the process make calls, none of which may fail. If that takes too long, it is killed.
func (w *worker) call(calls int) (r report, err error) {
	for range calls {
		if _, err = w.do(protocol.Request{Op: "list_jobs"}); err != nil {
			_ = w.signal(syscall.SIGKILL)
			return r, err
		}
	}
	a, err := w.do(protocol.Request{Op: "get_token"})
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(a.Token, &r)
}

// call has all processes make calls at the same time.
func (f *fleet) call(calls int) {
	f.Helper()
	began := time.Now()
	f.reports = make([]report, len(f.workers))
	errs := make([]error, len(f.workers))
	var all sync.WaitGroup
	for i, w := range f.workers {
		all.Go(func() { f.reports[i], errs[i] = w.call(calls) })
	}
	all.Wait()
	f.must(errors.Join(errs...))
	f.longest = max(f.longest, time.Since(began))
	f.calls += calls * len(f.workers)
	// A token that was requested since then may be due by now: half of its lifetime is over, but it
	// expires at a whole second, which may take one off.
	if f.lifetime != 0 && time.Since(began) > (f.lifetime-time.Second)/2 {
		panic(errSlow)
	}
}

func (f *fleet) callAt(at time.Time, calls int) {
	f.Helper()
	time.Sleep(time.Until(at))
	f.call(calls)
}

// callUntil has all processes make calls until something is so.
func (f *fleet) callUntil(so func() bool) {
	f.Helper()
	for end := time.Now().Add(patience); !so(); f.callAt(time.Now().Add(100*time.Millisecond), 1) {
		if time.Now().After(end) {
			f.Fatal("waited too long")
		}
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
