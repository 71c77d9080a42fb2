package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"automatic-rostering/tests/runner/canary"
	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/play"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
	"automatic-rostering/tests/runner/world"
)

// Clients of each library are called at random by many, while both servers and the store fail, tokens
// are revoked, callers leave, and clients are closed and opened again, for STRESS_SECONDS. STRESS_SEED
// repeats the choices of a run, though not their interleaving. Each call must end, with its own
// response or an error of the contract that shows no secret; after the faults all clients must recover,
// and in the end no file or thread may be left behind.
func TestStress(t *testing.T) {
	seconds, seed := setting("STRESS_SECONDS", 2), setting("STRESS_SEED", int(rand.Uint32()))
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		t.Logf("STRESS_SEED=%d", seed)
		s := newStress(t, h.Start(t))
		s.openAll()
		s.recover()
		s.closeAll()
		before := s.resources()
		s.openAll()
		s.run(uint64(seed), time.Duration(seconds)*time.Second)
		s.recover()
		s.closeAll()
		s.compare(before)
		t.Logf("%d calls, of which %d succeeded; %d faults, %d clients", s.calls.Load(), s.succeeded.Load(), s.faults.Load(), s.opened.Load())
	})
}

func setting(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// The number of workers, and of clients; two of these share a store.
const workers, places = 24, 4

type stress struct {
	testing.TB
	world   *world.World
	host    *play.Player
	calm    atomic.Bool // no faults
	clients [places]atomic.Value
	now     atomic.Int64

	calls, succeeded, faults, opened atomic.Int64
}

func newStress(t testing.TB, host *play.Player) *stress {
	w := world.New()
	t.Cleanup(w.Close)
	s := &stress{TB: t, world: w, host: host}
	w.Fault = s.fault
	s.now.Store(rule.Start)
	return s
}

// fault fails one request in ten, unless all is calm.
func (s *stress) fault(w http.ResponseWriter, r *http.Request) bool {
	if s.calm.Load() || rand.IntN(10) > 0 {
		return false
	}
	s.faults.Add(1)
	switch rand.IntN(5) {
	case 0:
		w.WriteHeader(http.StatusServiceUnavailable)
	case 1:
		panic(http.ErrAbortHandler)
	case 2:
		_, _ = io.WriteString(w, `{"access_token":`)
		panic(http.ErrAbortHandler)
	case 3:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	default: // until its client leaves, or a while
		select {
		case <-r.Context().Done():
		case <-time.After(time.Second):
		}
		w.WriteHeader(http.StatusBadGateway)
	}
	return true
}

func (s *stress) openAll() {
	for place := range places {
		s.open(place)
	}
}

// open opens a new client at a place.
func (s *stress) open(place int) {
	r := protocol.Request{Op: "open", Client: fmt.Sprintf("%s %d", s.Name(), s.opened.Add(1)), Config: s.world.Config()}
	now := s.now.Load()
	r.Now = &now
	if place >= 2 {
		r.Store = &protocol.Store{Name: fmt.Sprintf("%s %d", s.Name(), place), URL: s.world.Store.URL}
	}
	if a, err := s.host.Do(r); err != nil || a.Error+a.Text != "" {
		s.Fatalf("open: %+v, %v", a, err)
	}
	s.clients[place].Store(r.Client)
}

func (s *stress) client(place int) string { return s.clients[place].Load().(string) }

func (s *stress) closeAll() {
	for place := range places {
		if a, err := s.host.Do(protocol.Request{Op: "close", Client: s.client(place)}); err != nil || a.Error+a.Text != "" {
			s.Fatalf("close: %+v, %v", a, err)
		}
	}
}

// run makes random calls for a while.
func (s *stress) run(seed uint64, d time.Duration) {
	s.calm.Store(false)
	ctx, cancel := context.WithTimeout(s.Context(), d)
	defer cancel()
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(worker)))
			for n := 0; ctx.Err() == nil; n++ {
				s.choose(random, fmt.Sprintf("/w%d-%d", worker, n))
			}
		})
	}
	all.Wait()
}

// choose makes one random choice; path is that of a call alone.
func (s *stress) choose(random *rand.Rand, path string) {
	place := random.IntN(places)
	switch n := random.IntN(100); {
	case n == 0:
		s.world.Revoke()
	case n == 1:
		s.now.Add(int64(random.IntN(1000)))
	case n == 2:
		s.world.Store.Down(!s.calm.Load() && random.IntN(2) == 0)
	case n == 3:
		client := s.client(place)
		s.open(place)
		s.end(s.send(protocol.Request{Op: "close", Client: client, Call: protocol.Call{Timeout: json.RawMessage("1")}}), "close", "")
	case n < 8:
		s.end(s.send(protocol.Request{Op: "clear_token", Client: s.client(place)}), "clear_token", "")
	default:
		s.call(random, s.client(place), path)
	}
}

func (s *stress) call(random *rand.Rand, client, path string) {
	now := s.now.Load()
	r := protocol.Request{Op: []string{"list_jobs", "send_request", "send_request", "get_token", "own"}[random.IntN(5)], Client: client}
	r.Now, r.Timeout = &now, fmt.Append(nil, 0.01+2*random.Float64())
	want := "/jobs"
	switch r.Op {
	case "send_request":
		r.HTTP, want = protocol.HTTP{Method: "POST", Path: &path, Body: []byte(path)}, path+path
	case "own":
		r.HTTP, want = protocol.HTTP{Method: "GET", URL: s.world.Servers["service"].URL + path}, path
	case "get_token":
		r.Force, want = random.IntN(4) == 0, ""
	}
	p := s.send(r)
	if random.IntN(5) == 0 {
		time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
		s.end(s.send(protocol.Request{Op: "cancel", Target: p.ID}), "cancel", "")
	}
	s.end(p, r.Op, want)
}

func (s *stress) send(r protocol.Request) *protocol.Pending {
	s.calls.Add(1)
	p, err := s.host.Send(r)
	if err != nil {
		panic(err)
	}
	return p
}

// end wants a request to end, with a body if it succeeds. Not every library can cancel: rows say which.
func (s *stress) end(p *protocol.Pending, op, want string) {
	a, err := p.Response()
	var e struct{ Code string }
	switch _ = json.Unmarshal([]byte(a.Error), &e); {
	case err != nil:
		s.Errorf("%s: %v", op, err)
	case canary.Shows(play.Shown(a), rule.Secret) || canary.Shows(play.Shown(a), rule.TokenPrefix):
		s.Errorf("%s: the error shows a secret", op)
	case play.Canceled(a), play.Closed(a), op == "close", op == "cancel", op == "own" && (a.Error == "" && a.Text != "" || a.Status >= 400):
	case a.Error+a.Text == "":
		s.succeeded.Add(1)
		var got struct{ Path, Body string }
		if want != "" && (json.Unmarshal(a.Body, &got) != nil || got.Path+got.Body != want) {
			s.Errorf("%s has the response %.200q, not %q", op, a.Body, want)
		}
	case !slices.Contains(expected, e.Code):
		s.Errorf("%s: %+v", op, a)
	}
}

var expected = []string{
	"network_error", "service_error", "service_unauthorized", "token_endpoint_unavailable", "token_response_invalid", "token_endpoint_rejected",
}

// recover wants each client to work after the faults.
func (s *stress) recover() {
	s.calm.Store(true)
	s.world.Store.Down(false)
	for place := range places {
		late := time.Now().Add(world.Patience)
		for {
			now := s.now.Add(100) // after any backoff
			a, err := s.host.Do(protocol.Request{Op: "list_jobs", Client: s.client(place), Call: protocol.Call{Now: &now}})
			if err == nil && a.Status == 200 {
				break
			}
			if time.Now().After(late) {
				s.Fatalf("a client does not recover: %+v, %v", a, err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// resources are the numbers of open files and of threads of the adapter.
func (s *stress) resources() (all [2]int) {
	for i, kind := range []string{"fd", "task"} {
		names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/%s/*", s.host.Process.PID(), kind))
		all[i] = len(names)
	}
	return all
}

// compare wants files and threads to become as few as before, but for those that a pool keeps.
func (s *stress) compare(before [2]int) {
	var now [2]int
	for late := time.Now().Add(world.Patience); time.Now().Before(late); time.Sleep(100 * time.Millisecond) {
		if now = s.resources(); now[0] <= before[0]+2*workers && now[1] <= before[1]+3*workers {
			return
		}
	}
	s.Errorf("files and threads are %v, and were %v", now, before)
}
