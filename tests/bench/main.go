// Command bench prints the tables of docs/benchmarks.md: what a library costs, next to the same requests of its language's HTTP
// client in the same run. Batches of both alternate, and the median of the ratios of each pair counts, so that a busy machine
// slows both.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

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

// tables have a row for each, whose further cells are measured.
var tables = []struct {
	columns string
	measure func(h hosts.Host, peer string) ([]string, error)
}{
	{"library | peer | process ready | two requests of the peer | first call | first call, of the peer's | memory with the peer | " +
		"with the library", firstCall},
	{"library | first client | further client | memory of a further one | `list_jobs` | a new token", clients},
	{"library | peer | CPU, of the peer's | time, of the peer's", warmCall},
}

func main() {
	log.SetFlags(0)
	for _, table := range tables {
		fmt.Printf("\n| %s |\n|%s\n", table.columns, strings.Repeat(" --- |", 1+strings.Count(table.columns, " | ")))
		for _, m := range measured {
			if !hosts.Wanted(m.language) {
				continue
			}
			h := hosts.Libraries(m.language)[m.adapter]
			if cells, err := table.measure(h, m.peer); err != nil {
				log.Printf("without %s: %v", h.Name, err)
			} else {
				fmt.Printf("| %s | %s |\n", h.Name, strings.Join(cells, " | "))
			}
		}
	}
}

var (
	token = strings.Repeat("t", 900)
	jobs  = `{"jobs":[` + strings.Repeat(`{"id":"job-0001","status":"completed"},`, 25) + `{}]}`
)

// server grants tokens and has jobs.
var server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body := jobs
	if r.Method == http.MethodPost {
		body = `{"access_token":"` + token + `","token_type":"Bearer","expires_in":3600}`
	}
	_, _ = io.WriteString(w, body)
}))

// forToken and forJobs are what a library sends, for a peer.
var (
	forToken = protocol.Request{Op: "own", Fields: map[string]any{
		"method": "POST", "url": server.URL + "/connect/token",
		"headers": map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		"body":    "grant_type=client_credentials&client_id=c&client_secret=the-secret&scope=automatic-rostering-stage",
	}}
	forJobs = protocol.Request{Op: "own", Fields: map[string]any{
		"method": "GET", "url": server.URL + "/jobs",
		"headers": map[string]string{"Authorization": "Bearer " + token, "CUSTOMER_ID": "c", "USER_ID": "u"},
	}}
	// ours is the call of the library that is compared with them.
	ours = protocol.Request{Op: "list_jobs", Client: "0", Fields: map[string]any{}}
)

// adapter is a running adapter.
type adapter struct{ *protocol.Process }

// start starts an adapter and waits until it responds.
func start(h hosts.Host) (a adapter, err error) {
	if a.Process, err = h.Process(context.Background(), os.Stderr); err == nil {
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
	return a.do(protocol.Request{Op: "open", Client: client, Fields: map[string]any{"now": time.Now().Unix(), "variables": map[string]string{
		"ROSTERING_ENVIRONMENT": "stage", "ROSTERING_AUTH_URL": server.URL, "ROSTERING_BASE_URL": server.URL, "ROSTERING_CLIENT_ID": "c",
		"ROSTERING_CLIENT_SECRET": "the-secret", "ROSTERING_CUSTOMER_ID": "c", "ROSTERING_USER_ID": "u",
	}}})
}

// repeat has the adapter make a request so often, one after the other.
func (a adapter) repeat(times int, r protocol.Request) error {
	r.Fields["times"] = times
	return a.do(r)
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

// cpu is the CPU time of the process so far, in seconds: see clock_getcpuclockid(3).
func (a adapter) cpu() float64 {
	var t unix.Timespec
	_ = unix.ClockGettime(int32(^a.PID()<<3|2), &t) // an error leaves 0, whose ratio shows it
	return float64(t.Nano()) / 1e9
}

// warmCall compares a warm list_jobs with the same request of the library's HTTP client.
func warmCall(h hosts.Host, peer string) ([]string, error) {
	a, err := start(h)
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Close() }()
	if err := a.open("0"); err != nil {
		return nil, err
	}
	calls := 50
	batch := func(r protocol.Request) func() (cost, error) {
		return func() (cost, error) {
			before, began := a.cpu(), time.Now()
			err := a.repeat(calls, r)
			return cost{time.Since(began).Seconds(), a.cpu() - before}, err
		}
	}
	for began := time.Now(); time.Since(began) < 3*time.Second; { // compilers of runtimes take their time
		err := a.repeat(calls, ours)
		took, err2 := batch(forJobs)()
		if err := cmp.Or(err, err2); err != nil {
			return nil, err
		}
		calls = min(max(int(0.1/took[0]*float64(calls)), 50), 1000) // a tenth of a second
	}
	_, ratios, err := compare(25, batch(ours), batch(forJobs))
	if err != nil {
		return nil, err
	}
	return []string{peer, times(ratios[1]), times(ratios[0])}, nil
}

// firstCall compares the first call of a process, which opens a client, requests a token and lists the jobs, with the two
// requests alone.
func firstCall(h hosts.Host, peer string) ([]string, error) {
	measure := func(call func(a adapter) error) func() (cost, error) {
		return func() (cost, error) {
			began := time.Now()
			a, err := start(h)
			if err != nil {
				return nil, err
			}
			defer func() { _ = a.Close() }()
			ready := time.Now()
			err = call(a)
			return cost{time.Since(ready).Seconds(), ready.Sub(began).Seconds(), a.memory("VmHWM")}, err
		}
	}
	own, ratios, err := compare(15, measure(func(a adapter) error { return cmp.Or(a.open("0"), a.repeat(1, ours)) }),
		measure(func(a adapter) error { return cmp.Or(a.repeat(1, forToken), a.repeat(1, forJobs)) }))
	if err != nil {
		return nil, err
	}
	return []string{
		peer, milliseconds(own[1]), milliseconds(own[0] / ratios[0]), milliseconds(own[0]), times(ratios[0]),
		megabytes(own[2] / ratios[2]), megabytes(own[2]),
	}, nil
}

// clients measures one process, in which clients are opened and make calls.
func clients(h hosts.Host, _ string) ([]string, error) {
	a, err := start(h)
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Close() }()
	const further = 20 // clients, and how often a call is made
	// least returns the least time of calls.
	least := func(call func(n int) error) string {
		least := math.Inf(1)
		for n := range further {
			began := time.Now()
			err = cmp.Or(err, call(n+1))
			least = min(least, time.Since(began).Seconds())
		}
		return milliseconds(least)
	}
	began := time.Now()
	err = a.open("0")
	first, before := time.Since(began).Seconds(), a.memory("VmRSS")
	next := least(func(n int) error { return a.open(fmt.Sprint(n)) })
	memory := (a.memory("VmRSS") - before) / further
	list := least(func(int) error { return a.repeat(1, ours) })
	force := least(func(int) error {
		return a.do(protocol.Request{Op: "get_token", Client: "0", Fields: map[string]any{"force": true}})
	})
	return []string{milliseconds(first), next, megabytes(memory), list, force}, err
}

// cost is what a batch of calls takes, such as its time in seconds.
type cost []float64

// compare alternates batches of a library's calls and of its peer's. It returns the medians of the library's costs, and of their
// ratios to the peer's.
func compare(pairs int, ours, peers func() (cost, error)) (own, ratios cost, err error) {
	var all [2][]cost
	for pair := range pairs + 1 { // the first warms up
		var costs [2]cost
		for n := range 2 {
			which := (n + pair) % 2
			if costs[which], err = [2]func() (cost, error){ours, peers}[which](); err != nil {
				return nil, nil, err
			}
		}
		if pair > 0 {
			ratio := slices.Clone(costs[0])
			for i := range ratio {
				ratio[i] /= costs[1][i]
			}
			all[0], all[1] = append(all[0], costs[0]), append(all[1], ratio)
		}
	}
	return medians(all[0]), medians(all[1]), nil
}

// medians returns the median of each kind of cost.
func medians(all []cost) (middle cost) {
	for i := range all[0] {
		of := make([]float64, len(all))
		for n, c := range all {
			of[n] = c[i]
		}
		slices.Sort(of)
		middle = append(middle, of[len(of)/2])
	}
	return middle
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.1f ms", 1e3*seconds) }
func megabytes(kb float64) string         { return fmt.Sprintf("%.1f MB", kb/1000) }
func times(ratio float64) string          { return fmt.Sprintf("%.3g", ratio) }
