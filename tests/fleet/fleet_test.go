// Package fleet tests how processes in several languages share one token through a Redis server, and through a folder:
// in each stage no call may fail, and only so many tokens may be requested as the rules allow. make run-fleet shows it.
package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"
	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
)

// fleet is a number of processes with their sandbox and their store. Its methods panic with a failure.
type fleet struct {
	*sandbox.Sandbox
	ctx       context.Context
	redis     *held.Redis // one of the two, or none
	folder    string
	workers   []*worker
	killed    []*worker
	variables map[string]string
	store     *protocol.Store
	secrets   []string
	reports   []report      // to the last calls, of the workers in turn
	calls     int           // that succeeded
	longest   time.Duration // that some calls of a process took
	lifetime  time.Duration // of tokens; an hour if zero
}

type failure struct{ error }

func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func fail(format string, args ...any) { must(fmt.Errorf(format, args...)) }

// try returns the failure of a function.
func try(play func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.error
		default:
			panic(p)
		}
	}()
	play()
	return nil
}

// errSlow is a machine that is too slow for a stage. It may be played again.
var errSlow = errors.New("too slow: the next token was due before the calls had ended")

// A stage is something that happens to a fleet, and how many tokens its n processes may request then.
type stage struct {
	name   string
	play   func(*fleet)
	tokens func(n int) (least, most int)
}

func each(n int) (least, most int)       { return n, n }
func eachAndOne(n int) (least, most int) { return n + 1, n + 1 }

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
	{"no store", []string{"go", "rust"}, noStore, []stage{
		{"all start, and each requests its own token", begin, each},
	}},
	{"Redis", []string{"go", "node", "python", "java", "rust", "c"}, redisStore, []stage{
		{"all start", begin, exactly(1)},
		{"the token is revoked, and each process in turn is the first to notice", turns, each},
		{"a process is killed while it requests the token", death, exactly(2)},
		{"one more process starts", newcomer, exactly(0)},
		{"a process is stopped while it requests the token, until its lock has expired", stopped, exactly(2)},
		{"Redis is stopped, and the token revoked; when it continues, again", pausedRedis, eachAndOne},
		{"Redis restarts empty, and the token is revoked until all have noticed", emptyRedis, func(n int) (int, int) { return 1, 5 * n }},
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
			languages := setup(t, s.languages...)
			if len(languages) == 1 {
				languages = append(languages, languages...)
			}
			if err := run(t, languages, s.store, s.stages); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The stages are played on two processes that share nothing.
func TestStagesThatGoWrong(t *testing.T) {
	for want, wrong := range map[string]stage{
		"0 token requests, not 1": {"", func(*fleet) {}, exactly(1)},
		"2 token requests, not 0": {"", begin, exactly(0)},
		"has another token":       {"", turns, each},
		"the host":                {"", func(f *fleet) { f.workers[0].kill(); f.call(1) }, exactly(0)},
		"too slow":                {"", func(*fleet) { must(errSlow) }, exactly(0)},
		"there is a file other": {"", func(f *fleet) {
			folderStore(f)
			must(errors.Join(os.Mkdir(f.folder, 0o700), os.WriteFile(filepath.Join(f.folder, "other"), nil, 0o600)))
			must(f.folderInOrder())
		}, exactly(0)},
	} {
		t.Run(want, func(t *testing.T) {
			languages := setup(t, "go")
			err := run(t, append(languages, languages...), noStore, []stage{wrong})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// setup installs what the languages need, and omits those that HOSTS omits.
func setup(t *testing.T, languages ...string) []string {
	t.Helper()
	languages = slices.DeleteFunc(slices.Clone(languages), func(language string) bool { return !hosts.Wanted(language) })
	if len(languages) == 0 {
		t.Skip("HOSTS omits all of its languages")
	}
	for _, language := range languages {
		hosts.Setup(t, language, "adapter")
	}
	return languages
}

// run plays stages with a process of each language.
func run(t *testing.T, languages []string, store func(*fleet), stages []stage) error {
	f := &fleet{ctx: t.Context()}
	err := try(func() {
		f.start(languages, store)
		for _, s := range stages {
			if err := f.play(t, s); err != nil {
				fail("%s: %w", s.name, err)
			}
		}
	})
	log := f.close()
	if slices.ContainsFunc(append(f.secrets, "eyJ"), func(s string) bool { return strings.Contains(log, s) }) {
		return errors.New("a secret or a token is in what the processes wrote")
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, log)
	}
	return nil
}

// play plays a stage, again if the machine was too slow for it, and judges the number of token requests.
func (f *fleet) play(t *testing.T, s stage) (err error) {
	for range 3 {
		calls, requests := f.calls, f.requests()
		f.longest = 0
		if err = try(func() { s.play(f) }); errors.Is(err, errSlow) {
			continue
		}
		calls, requests = f.calls-calls, f.requests()-requests
		least, most := s.tokens(len(f.workers))
		if err == nil && (requests < least || requests > most) {
			return fmt.Errorf("%d token requests, not %d to %d", requests, least, most)
		}
		t.Logf("%d processes, %3d calls, %2d token requests (%d to %d), longest %4v: %s",
			len(f.workers), calls, requests, least, most, f.longest.Round(100*time.Millisecond), s.name)
		return err
	}
	return err
}

func (f *fleet) start(languages []string, store func(*fleet)) {
	var err error
	f.Sandbox, err = sandbox.Start(f.ctx, sandbox.Config{})
	must(err)
	f.variables = maps.Collect(maps.All(f.Env(sandbox.Stage)))
	_, secret := f.Client(sandbox.Stage)
	f.secrets = append(f.secrets, secret)
	store(f)
	for _, language := range languages {
		f.join(language)
	}
	f.call(0) // when that is done, all of them are there
}

func noStore(*fleet) {}

func redisStore(f *fleet) {
	password := rand.Text()
	f.secrets = append(f.secrets, password)
	var err error
	f.redis, err = held.StartRedis(f.ctx, password)
	must(err)
	f.store = &protocol.Store{Name: "s", Kind: "redis", URL: f.redis.URL}
}

// folderStore names a folder that does not exist yet.
func folderStore(f *fleet) {
	parent, err := os.MkdirTemp("", "fleet")
	must(err)
	f.folder = filepath.Join(parent, "store")
	f.store = &protocol.Store{Name: "s", Kind: "folder", Folder: f.folder}
}

// join starts one more process.
func (f *fleet) join(language string) {
	w, err := start(f.ctx, language, f.variables, f.store)
	must(err)
	f.workers = append(f.workers, w)
}

// call has all processes make calls at the same time.
func (f *fleet) call(calls int) {
	began := time.Now()
	f.reports = make([]report, len(f.workers))
	errs := make([]error, len(f.workers))
	var all sync.WaitGroup
	for i, w := range f.workers {
		all.Go(func() { f.reports[i], errs[i] = w.call(calls) })
	}
	all.Wait()
	f.longest = max(f.longest, time.Since(began))
	for _, a := range f.reports {
		f.calls += a.calls
	}
	must(errors.Join(errs...))
	// A token that was requested since then may be due by now: half of its lifetime is over, but it
	// expires at a whole second, which may take one off.
	if calls > 0 && f.lifetime != 0 && time.Since(began) > (f.lifetime-time.Second)/2 {
		must(errSlow)
	}
}

func (f *fleet) callAt(at time.Time, calls int) {
	select {
	case <-time.After(time.Until(at)):
		f.call(calls)
	case <-f.ctx.Done():
		must(f.ctx.Err())
	}
}

// callUntil has all processes make calls until something is so.
func (f *fleet) callUntil(so func() bool) {
	for end := time.Now().Add(patience); !so(); f.callAt(time.Now().Add(100*time.Millisecond), 1) {
		if time.Now().After(end) {
			fail("waited too long")
		}
	}
}

// expiry is that of the newest token.
func (f *fleet) expiry() (newest time.Time) {
	for _, a := range f.reports {
		if at := time.Unix(a.expiresAt, 0); at.After(newest) {
			newest = at
		}
	}
	return newest
}

// requests is how many tokens were requested until now.
func (f *fleet) requests() int { return f.Counts().TokenRequests }

// close ends all, and returns what the processes wrote to standard error.
func (f *fleet) close() (log string) {
	for _, w := range append(f.workers, f.killed...) {
		if text := strings.TrimSpace(w.close()); text != "" {
			log += w.language + ": " + text + "\n"
		}
	}
	if f.redis != nil {
		f.redis.End()
	}
	if f.folder != "" {
		_ = os.RemoveAll(filepath.Dir(f.folder))
	}
	if f.Sandbox != nil {
		_ = f.Sandbox.Close()
	}
	return log
}
