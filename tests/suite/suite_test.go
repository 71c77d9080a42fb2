package suite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

func TestMain(m *testing.M) {
	status := hosts.Main(m, held.Secret, scenario.Secret)
	if started != nil {
		started.End()
	}
	os.Exit(status)
}

// The rows of docs/sdk.md hold for each library. No test asserts a duration: what must not wait ends
// while the test holds back what it must not wait for.
func TestRows(t *testing.T) {
	rows := load(t)
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		p := h.Start(t).Process
		p.Bound = held.Patience
		runner := Runner{Adapter: p, Redis: redis}
		var slow sync.WaitGroup
		defer slow.Wait()
		for _, row := range rows {
			for _, c := range row.Cases {
				if h.Differs(row.Differences) || h.Differs(c.Differences) {
					continue
				}
				for name, kind := range c.kinds() {
					play := func() {
						t.Run(row.Name+"/"+name, func(t *testing.T) { runner.Run(t, t.Name(), kind, &c) })
					}
					if c.Slow {
						slow.Go(play)
					} else {
						play()
					}
				}
			}
		}
	})
}

// The scenarios that a library can break hold for each.
func TestScenarios(t *testing.T) {
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		host := h.Start(t)
		all, err := scenario.Load(os.DirFS(filepath.Join(hosts.Root(), "tests/scenarios")), host.Servers.URLs)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if !run.ForLibraries(&s) {
				continue
			}
			t.Run(s.FullName(), func(t *testing.T) {
				if err := run.Scenario(host, &s); err != nil {
					t.Errorf("%v\nrule: docs/contract.md#%s", err, s.Rule)
				}
			})
		}
	})
}

func load(t *testing.T) []Row {
	t.Helper()
	rows, err := Load(os.DirFS(filepath.Join(hosts.Root(), "tests/rows")))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// started is the Redis server that oneRedis has started, or nil.
var started *held.Redis

var oneRedis = sync.OnceValues(func() (*held.Redis, error) {
	r, err := held.StartRedis(context.Background(), "the-password-of-redis")
	if err == nil {
		started = r
	}
	return r, err
})

// redis is the URL of a Redis server that runs until the tests have ended.
func redis(t testing.TB) string {
	t.Helper()
	hosts.RequireRedis(t)
	r, err := oneRedis()
	if err != nil {
		t.Fatal(err)
	}
	return r.URL
}

// idle is a library that does nothing, successfully.
type idle struct{}

func (idle) Send(protocol.Request) (*protocol.Pending, error) {
	return protocol.Responded(protocol.Response{}), nil
}
func (idle) Logs(string) []protocol.Log { return nil }

// A library that does nothing fails every case, or the case shows nothing.
func TestEveryCaseCanFail(t *testing.T) {
	defer func(d time.Duration) { held.Patience = d }(held.Patience)
	held.Patience = 20 * time.Millisecond
	runner := Runner{idle{}, func(testing.TB) string { return "" }}
	for _, row := range load(t) {
		for _, c := range row.Cases {
			for name, kind := range c.kinds() {
				if runner.fails(t, "idle", kind, &c) == "" {
					t.Errorf("%s/%s holds for a library that does nothing", row.Name, name)
				}
			}
		}
	}
}

// fails plays a case, and returns why it fails, or nothing.
func (r Runner) fails(t testing.TB, name, kind string, c *Case) string {
	s := &silent{TB: t}
	var played sync.WaitGroup
	played.Go(func() { r.Run(s, name, kind, c) })
	played.Wait()
	return s.wrong
}

// silent is a test that may fail.
type silent struct {
	testing.TB
	wrong string
}

func (s *silent) Fatalf(format string, values ...any) {
	s.wrong = fmt.Sprintf(format, values...)
	runtime.Goexit()
}
