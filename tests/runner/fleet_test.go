package runner

import (
	"bytes"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"automatic-rostering.example/rostering/tests/runner/canary"
	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/play"
	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// Processes in several languages share one token through Redis or a folder. No call fails, whatever happens to a process or to
// Redis; without Redis, each process requests its own token. There is a process of each language, which shows all that more would;
// a language that is alone has two.
func TestFleet(t *testing.T) {
	t.Parallel()
	t.Run("through Redis", func(t *testing.T) {
		t.Parallel()
		hosts.Require(t, "redis")
		const password = "the-password-of-a-fleet"
		redis, err := world.StartRedis(t.Context(), password)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(redis.End)
		f := newFleet(t, redis.URL, []string{"go", "node", "python", "java", "rust", "c"}, password)
		f.useTogether(1)
		f.stop()
		f.lose(redis)
	})
	t.Run("through a folder", func(t *testing.T) {
		t.Parallel()
		f := newFleet(t, "file:"+t.TempDir(), []string{"node", "python", "java", "rust", "c", "go"})
		f.useTogether(2) // two processes that find the same expired lock may both take it: see docs/fleet.md
		f.list(f.all, 3710, 3)
		f.eventuallyFresh(3760)
		f.wantTokens(1, 2)
	})
}

// fleet is clients in one process each.
type fleet struct {
	*testing.T
	*world.World
	start   func() *protocol.Process
	all     []*protocol.Process // the first is what happens to one
	counted int                 // token requests
}

// pending is the calls of some processes at the same time.
type pending []*protocol.Pending

const client = "c"

func newFleet(t *testing.T, store string, languages []string, secrets ...string) *fleet {
	languages = slices.DeleteFunc(languages, func(language string) bool { return !hosts.Wanted(language) })
	for _, language := range languages {
		hosts.Setup(t, language, "adapter")
	}
	var written bytes.Buffer
	log := &canary.Watch{To: &written, Secrets: append(secrets, rule.Secret, rule.TokenPrefix+"00")}
	f, started := &fleet{T: t, World: world.New()}, 0
	t.Cleanup(f.Close)
	open := protocol.Request{Op: "open", Client: client, Fields: map[string]any{
		"variables": play.Variables(f.Config()), "now": rule.Start, "store": map[string]string{"name": "the store", "url": store},
	}}
	f.start = func() *protocol.Process {
		host := hosts.Libraries(languages[started%len(languages)])[0]
		started++
		p, err := host.Process(t.Context(), log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close() })
		if a, err := p.Do(open); err != nil || a.Error+a.Text != "" {
			t.Fatalf("%s does not open: %+v, %v", host.Name, a, err)
		}
		return p
	}
	for range max(2, len(languages)) {
		f.all = append(f.all, f.start())
	}
	t.Cleanup(func() {
		for _, p := range f.all {
			for _, l := range p.Logs(client) {
				fmt.Fprintln(log, l.Line)
			}
		}
		if err := log.Err(); err != nil {
			t.Error("a process:", err)
		} else if t.Failed() {
			t.Log(written.String())
		}
	})
	return f
}

// send has processes begin to list jobs.
func (f *fleet) send(processes []*protocol.Process, at int) (calls pending) {
	f.Helper()
	for _, p := range processes {
		call, err := p.Send(protocol.Request{Op: "list_jobs", Client: client, Fields: map[string]any{"now": rule.Start + at}})
		if err != nil {
			f.Fatal(err)
		}
		calls = append(calls, call)
	}
	return calls
}

// end wants calls to succeed, and reports whether all had the token that was given last.
func (f *fleet) end(calls pending) (fresh bool) {
	f.Helper()
	fresh = true
	for _, call := range calls {
		a, err := call.Response()
		if err != nil || a.Status != 200 {
			f.Fatalf("a call ended with %s%s, status %d, %s, %v", a.Error, a.Text, a.Status, a.Body, err)
		}
		fresh = fresh && bytes.Contains(a.Body, []byte(`"fresh":true`))
	}
	return fresh
}

// list has processes list jobs, several times.
func (f *fleet) list(processes []*protocol.Process, at, times int) {
	f.Helper()
	for range times {
		f.end(f.send(processes, at))
	}
}

// listFresh has processes list jobs with the token that was given last.
func (f *fleet) listFresh(processes []*protocol.Process, at int) {
	f.Helper()
	if !f.end(f.send(processes, at)) {
		f.Fatal("a call had another token than the last one")
	}
}

// requestsToken has processes begin a call that requests a token, until the token endpoint has it.
func (f *fleet) requestsToken(processes []*protocol.Process, at int) (calls pending, held *world.Request) {
	f.Helper()
	auth := f.Servers["auth"]
	auth.Hold(true)
	calls = f.send(processes, at)
	held, err := auth.Next(f.Patience)
	if err != nil {
		f.Fatal(err)
	}
	auth.Hold(false)
	return calls, held
}

// eventuallyFresh waits until all use a token that was renewed in the background. Their clock advances, as a backoff would not end.
func (f *fleet) eventuallyFresh(at int) {
	f.Helper()
	for began := time.Now(); !f.end(f.send(f.all, at+int(time.Since(began).Seconds()))); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > f.Patience {
			f.Fatal("a renewed token is not used")
		}
	}
}

// wantTokens wants so many token requests since it was last called.
func (f *fleet) wantTokens(least, most int) {
	f.Helper()
	now, _, _ := f.Servers["auth"].Saw()
	got := now - f.counted
	f.Logf("%d processes, %d token requests", len(f.all), got)
	if f.counted = now; got < least || got > most {
		f.Fatalf("%d processes made %d token requests, not %d to %d", len(f.all), got, least, most)
	}
}

func (f *fleet) signal(s syscall.Signal) {
	if err := syscall.Kill(f.all[0].PID(), s); err != nil {
		f.Fatal(err)
	}
}

// useTogether has the processes share tokens. At most so many are requested when the one that has the lock dies.
func (f *fleet) useTogether(most int) {
	calls, held := f.requestsToken(f.all, 0)
	held.Respond()
	f.end(calls)
	f.wantTokens(1, 1)
	// Each in turn is the first to notice that the token is revoked, and the others read what it put into the store.
	for n := range f.all {
		f.Revoke()
		f.listFresh(f.all[:1], 20*(n+1))
		f.listFresh(f.all, 20*(n+1))
		f.wantTokens(1, 1)
		f.all = append(f.all[1:], f.all[0])
	}
	// One dies while it requests a token, and another one starts.
	f.Revoke()
	f.requestsToken(f.all[:1], 160)
	f.signal(syscall.SIGKILL)
	f.all = f.all[1:]
	f.list(f.all, 160, 5)
	f.wantTokens(2, most+1)
	f.all = append(f.all, f.start())
	f.listFresh(f.all, 160)
	f.wantTokens(0, 0)
}

// stop has a process stop while it requests a token, until its lock has expired.
func (f *fleet) stop() {
	f.Revoke()
	calls, held := f.requestsToken(f.all[:1], 180)
	f.signal(syscall.SIGSTOP)
	f.list(f.all[1:], 180, 5)
	f.signal(syscall.SIGCONT)
	held.Respond()
	f.end(calls)
	f.wantTokens(2, 2)
	f.list(f.all, 180, 1)
	f.wantTokens(0, 0)
}

// lose has Redis stop, restart empty, which clients notice when an operation fails, be full, and die.
func (f *fleet) lose(redis *world.Redis) {
	do := func(err error) {
		if err != nil {
			f.Fatal(err)
		}
	}
	each := len(f.all)
	f.Revoke()
	do(redis.Signal(syscall.SIGSTOP))
	f.list(f.all, 200, 2)
	f.wantTokens(each, each)
	f.Revoke()
	do(redis.Signal(syscall.SIGCONT))
	f.listFresh(f.all, 220)
	f.listFresh(f.all, 220)
	f.wantTokens(1, 1)
	redis.End()
	do(redis.Start())
	for _, at := range []int{240, 260, 280} {
		f.Revoke()
		f.list(f.all, at, 2)
		f.wantTokens(1, 12)
	}
	f.Revoke()
	f.listFresh(f.all, 300)
	f.listFresh(f.all, 300)
	f.wantTokens(1, 1)
	f.Revoke()
	do(redis.Limit(1))
	f.list(f.all, 320, 2)
	f.wantTokens(each, each)
	do(redis.Limit(0))
	// The token expires, twice: it is renewed in the background.
	for _, at := range [][2]int{{3918, 3968}, {7468, 7568}} { // when it is due, and when it has expired
		f.list(f.all, at[0], 3)
		f.eventuallyFresh(at[1])
		f.wantTokens(1, 1)
	}
	redis.End()
	f.list(f.all, 7569, 1)
	f.wantTokens(0, 0)
	f.list(f.all, 11320, 1)
	f.wantTokens(each, each)
}
