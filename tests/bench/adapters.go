package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/protocol"
)

// measured are the adapters of the libraries, with the peer of each. That of C is built with sanitizers, and
// workerd is a process of its adapter.
var measured = []struct {
	language string
	adapter  int // of its language's
	peer     string
}{
	{"go", 0, "net/http"}, {"python", 0, "httpx"}, {"python", 1, "httpx, asyncio"}, {"node", 0, "fetch"}, {"deno", 0, "fetch"},
	{"bun", 0, "fetch"}, {"java", 0, "java.net.http"}, {"rust", 0, "reqwest"},
}

// server grants tokens of some size, and its service can be down.
type server struct {
	*httptest.Server
	size atomic.Int64
	down atomic.Bool
}

func newServer() *server {
	s := new(server)
	s.size.Store(int64(len(token)))
	s.Server = httptest.NewServer(s)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/connect/token":
		token := bytes.Repeat([]byte("t"), int(s.size.Load()))
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": string(token), "token_type": "Bearer", "expires_in": 3600})
	case s.down.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprint(w, strings.Repeat("x", 4<<10))
	default:
		_, _ = w.Write(jobs)
	}
}

// requests are what a library sends, for a peer: the one for a token, and the one for the jobs.
func (s *server) requests() (forToken, forJobs *protocol.HTTP) {
	form := "grant_type=client_credentials&client_id=c&client_secret=the-secret&scope=automatic-rostering-stage"
	return &protocol.HTTP{Method: "POST", URL: s.URL + "/connect/token", Body: []byte(form),
			Headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}},
		&protocol.HTTP{Method: "GET", URL: s.URL + "/jobs",
			Headers: map[string]string{"Authorization": "Bearer " + token, "CUSTOMER_ID": "c", "USER_ID": "u"}}
}

// adapter is a running adapter.
type adapter struct {
	*protocol.Process
	s *server
}

// start starts an adapter and waits until it responds, to a request that does nothing.
func (s *server) start(h hosts.Host) (a adapter, err error) {
	p, err := h.Process(context.Background(), os.Stderr)
	if err == nil {
		a = adapter{p, s}
		err = a.do(protocol.Request{Op: "cancel"})
	}
	return a, err
}

// do sends a request, which must succeed.
func (a adapter) do(r protocol.Request) error {
	response, err := a.Do(r)
	if failure := response.Error + response.Text; err == nil && failure != "" || response.Status/100 > 2 {
		err = fmt.Errorf("%s: %d %s", r.Op, response.Status, failure)
	}
	return err
}

func (a adapter) open(client string) error {
	now := time.Now().Unix()
	return a.do(protocol.Request{Op: "open", Client: client, Call: protocol.Call{Now: &now}, Config: map[string]string{
		"environment": "stage", "auth_url": a.s.URL, "base_url": a.s.URL, "client_id": "c", "client_secret": "the-secret", "customer_id": "c", "user_id": "u",
	}})
}

// repeat has the adapter make calls of a client's list_jobs or, if there is a request, send that with the language's
// HTTP client. It returns their time and the CPU time of the adapter's process, in seconds.
func (a adapter) repeat(times int, bare *protocol.HTTP) (cost, error) {
	before, start := cpu(a.PID()), time.Now()
	r := protocol.Request{Op: "list_jobs", Client: "0", Times: times}
	if bare != nil {
		r = protocol.Request{Op: "own", Times: times, HTTP: *bare}
	}
	err := a.do(r)
	return cost{time.Since(start).Seconds(), cpu(a.PID()) - before}, err
}

// memory reads a field of what the kernel says about the memory of the process, in KB: VmHWM is the most so far.
func (a adapter) memory(field string) float64 {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(a.PID()), "status"))
	if found := regexp.MustCompile(field + `:\s+([0-9]+) kB`).FindSubmatch(text); found != nil {
		kb, _ := strconv.ParseFloat(string(found[1]), 64)
		return kb
	}
	return 0
}

// each calls f for each adapter that is wanted, and names those that cannot be measured.
func each(f func(s *server, h hosts.Host, peer string) error) error {
	s := newServer()
	defer s.Close()
	for _, m := range measured {
		if !hosts.Wanted(m.language) {
			continue
		}
		if err := f(s, hosts.Libraries(m.language)[m.adapter], m.peer); err != nil {
			log.Printf("without %s, %s: %v", m.language, m.peer, err)
		}
	}
	return nil
}

// libraries compares a warm list_jobs with the same requests of the library's HTTP client.
func libraries() error {
	header("library", "peer", "CPU, of the peer's", "time, of the peer's")
	return each(func(s *server, h hosts.Host, peer string) error {
		a, err := s.start(h)
		if err != nil {
			return err
		}
		defer func() { _ = a.Close() }()
		_, forJobs := s.requests()
		if err := a.open("0"); err != nil {
			return err
		}
		calls := 50
		for began, n := time.Now(), 0; time.Since(began) < 3*time.Second; n++ { // compilers of runtimes take their time
			_, err = a.repeat(calls, nil)
			took, err2 := a.repeat(calls, forJobs)
			if err := cmp.Or(err, err2); err != nil {
				return err
			}
			calls = min(max(int(0.1/took[0]*float64(calls)), 50), 1000) // a tenth of a second
		}
		_, ratios, err := compare(25, func() (cost, error) { return a.repeat(calls, nil) }, func() (cost, error) { return a.repeat(calls, forJobs) })
		if err == nil {
			row(h.Name, peer, times(ratios[1]), times(ratios[0]))
		}
		return err
	})
}

// first compares the first call of a process, which opens a client, requests a token and lists the jobs, with the two
// requests alone. Then it prints what clients cost in a process that runs.
func first() error {
	header("library", "peer", "process ready", "two requests of the peer", "first call", "first call, of the peer's", "memory with the peer", "with the library")
	if err := each(firstCall); err != nil {
		return err
	}
	fmt.Println()
	header("library", "first client", "further client", "memory of a further one", "`list_jobs`", "a 503 with 4 KiB", "a token of 900 bytes", "of 32 KiB")
	return each(clients)
}

// firstCall measures processes, each of which makes one first call, or the two requests of a peer.
func firstCall(s *server, h hosts.Host, peer string) error {
	var ready, memory [2]float64
	measure := func(n int, call func(a adapter) error) func() (cost, error) {
		return func() (cost, error) {
			start := time.Now()
			a, err := s.start(h)
			if err != nil {
				return nil, err
			}
			defer func() { _ = a.Close() }()
			ready[n], start = time.Since(start).Seconds(), time.Now()
			err = call(a)
			memory[n] = a.memory("VmHWM")
			return cost{time.Since(start).Seconds(), ready[n], memory[n]}, err
		}
	}
	forToken, forJobs := s.requests()
	own, ratios, err := compare(15, measure(0, func(a adapter) error {
		if err := a.open("0"); err != nil {
			return err
		}
		_, err := a.repeat(1, nil)
		return err
	}), measure(1, func(a adapter) error {
		_, err := a.repeat(1, forToken)
		_, err2 := a.repeat(1, forJobs)
		return cmp.Or(err, err2)
	}))
	if err == nil {
		row(h.Name, peer, milliseconds(own[1]), milliseconds(own[0]/ratios[0]), milliseconds(own[0]), times(ratios[0]), megabytes(own[2]/ratios[2]), megabytes(own[2]))
	}
	return err
}

// clients measures one process, in which clients are opened and make calls that the plugin sees much of.
func clients(s *server, h hosts.Host, _ string) error {
	a, err := s.start(h)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	const further = 20 // clients, and how often a call is made
	// least returns the least time of calls.
	least := func(call func(n int) error) string {
		least := math.Inf(1)
		for n := range further {
			start := time.Now()
			err = cmp.Or(err, call(n+1))
			least = min(least, time.Since(start).Seconds())
		}
		return milliseconds(least)
	}
	start := time.Now()
	err = a.open("0")
	cells := []string{h.Name, milliseconds(time.Since(start).Seconds())}
	before := a.memory("VmRSS")
	cells = append(cells, least(func(n int) error { return a.open(fmt.Sprint(n)) }))
	cells = append(cells, megabytes((a.memory("VmRSS")-before)/further))
	list := func(int) error { _, err := a.repeat(1, nil); return err }
	force := func(int) error {
		return a.do(protocol.Request{Op: "get_token", Client: "0", Call: protocol.Call{Force: true}})
	}
	cells = append(cells, least(list))
	s.down.Store(true)
	cells = append(cells, least(func(n int) error {
		if list(n) == nil {
			return errors.New("no error for a 503")
		}
		return nil
	}))
	s.down.Store(false)
	cells = append(cells, least(force))
	s.size.Store(32 << 10)
	cells = append(cells, least(force))
	s.size.Store(int64(len(token)))
	if err == nil {
		row(cells...)
	}
	return err
}
