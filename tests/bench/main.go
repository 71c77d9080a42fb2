// Command bench prints the tables of docs/benchmarks.md, and draws docs/costs.svg: what a library costs, next to the same requests
// of its language's HTTP client in the same run. Batches of both alternate, so that a busy machine slows both.
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
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"automatic-rostering.example/rostering/tests/picture"
	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/protocol"
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
	measure func(h hosts.Host, peer string) []string
}{
	{"library | peer | process ready | two requests of the peer | first call | first call, of the peer's | memory with the peer | " +
		"with the library", firstCall},
	{"library | first client | further client | memory of a further one | `list_jobs` | a new token | a 503", clients},
	{"library | peer | CPU, of the peer's | time, of the peer's | p99 of 16 at once | of the peer's", warmCall},
}

func main() {
	log.SetFlags(0)
	for _, table := range tables {
		fmt.Printf("\n| %s |\n|%s\n", table.columns, strings.Repeat(" --- |", 1+strings.Count(table.columns, " | ")))
		for _, m := range measured {
			if hosts.Wanted(m.language) {
				row(hosts.Libraries(m.language)[m.adapter], m.peer, table.measure)
			}
		}
	}
	if os.Getenv("HOSTS") == "" { // the picture has all of them
		if err := os.WriteFile(filepath.Join(hosts.Root(), "docs/costs.svg"), []byte(drawn()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// bars are the seconds of a library and its peer, for the picture, in the order of the rows.
type bars struct {
	name, peer  string
	own, theirs float64
}

var first, warm []bars

// drawn is the picture of a first and of a warm call: each side has its own scale.
func drawn() string {
	p := picture.New("What a call costs: the library (blue), and the same requests of its HTTP client (gray)", 850, 110+44*len(first))
	for n, side := range [][]bars{first, warm} {
		left, most := 12+420*float64(n), 0.
		for _, b := range side {
			most = max(most, b.own, b.theirs)
		}
		p.Text("", left, 54, []string{"first call of a process: a token and the jobs", "a warm call"}[n])
		for i, b := range side {
			y := 74 + 44*float64(i)
			p.Text("", left, y+12, b.name)
			p.Text("", left, y+28, b.peer)
			for m, seconds := range []float64{b.own, b.theirs} {
				width := 220 * seconds / most
				p.Bar([]string{"ours", "peer"}[m], left+110, y+1+16*float64(m), max(1, width), 13)
				p.Text("", left+116+width, y+12+16*float64(m), milliseconds(seconds))
			}
		}
	}
	return p.String()
}

// row prints the row of a library, unless it fails, as if it is not built.
func row(h hosts.Host, peer string, measure func(hosts.Host, string) []string) {
	defer func() {
		if failure := recover(); failure != nil {
			log.Printf("without %s: %v", h.Name, failure)
		}
	}()
	fmt.Printf("| %s | %s |\n", h.Name, strings.Join(measure(h, peer), " | "))
}

var (
	token = strings.Repeat("t", 900)
	jobs  = `{"jobs":[` + strings.Repeat(`{"id":"job-0001","status":"completed"},`, 25) + `{}]}`
)

// server grants tokens and has jobs, except at the path unavailable.
var server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body := jobs
	switch {
	case r.Method == http.MethodPost:
		body = `{"access_token":"` + token + `","token_type":"Bearer","expires_in":3600}`
	case r.URL.Path == unavailable:
		for n := range 20 {
			w.Header().Set(fmt.Sprint("X-Header-", n), "the value of a header")
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		body = strings.Repeat("down for maintenance; ", 4096/22)
	}
	_, _ = io.WriteString(w, body)
}))

const unavailable = "/unavailable"

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
func start(h hosts.Host) adapter {
	p, err := h.Process(context.Background(), os.Stderr)
	if err != nil {
		panic(err)
	}
	a := adapter{p}
	a.do(protocol.Request{Op: "cancel"})
	return a
}

func (a adapter) close() { _ = a.Close() }

// do sends a request, which must succeed, or fail with a 503, and returns how many seconds that took.
func (a adapter) do(r protocol.Request) float64 {
	began := time.Now()
	response, err := a.Do(r)
	failed := response.Error+response.Text != "" || response.Status/100 > 2
	if err != nil || failed != (r.Fields["path"] == unavailable) {
		panic(fmt.Sprintf("%s: %v, %d %s%s", r.Op, err, response.Status, response.Error, response.Text))
	}
	return time.Since(began).Seconds()
}

func (a adapter) open(client string) float64 {
	variables := map[string]string{
		"ROSTERING_ENVIRONMENT": "stage", "ROSTERING_AUTH_URL": server.URL, "ROSTERING_BASE_URL": server.URL,
		"ROSTERING_CLIENT_ID": "c", "ROSTERING_CLIENT_SECRET": "the-secret", "ROSTERING_CUSTOMER_ID": "c", "ROSTERING_USER_ID": "u",
	}
	fields := map[string]any{"now": time.Now().Unix(), "variables": variables}
	return a.do(protocol.Request{Op: "open", Client: client, Fields: fields})
}

// repeat has the adapter make a request so often, one after the other.
func (a adapter) repeat(times int, r protocol.Request) float64 {
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
func warmCall(h hosts.Host, peer string) []string {
	a := start(h)
	defer a.close()
	a.open("0")
	calls := 50
	batch := func(r protocol.Request) func() cost {
		return func() cost {
			before := a.cpu()
			took := a.repeat(calls, r)
			return cost{took, a.cpu() - before}
		}
	}
	for began := time.Now(); time.Since(began) < 3*time.Second; { // compilers of runtimes take their time
		a.repeat(calls, ours)
		took := a.repeat(calls, forJobs)
		calls = min(max(int(0.1/took*float64(calls)), 50), 1000) // a tenth of a second
	}
	own, theirs := compare(25, batch(ours), batch(forJobs))
	warm = append(warm, bars{h.Name, peer, own[0] / float64(calls), theirs[0] / float64(calls)})
	crowd := func(r protocol.Request) func() cost { return func() cost { return cost{a.p99(r)} } }
	slow, slowPeer := compare(11, crowd(ours), crowd(forJobs))
	return []string{peer, ratio(own[1], theirs[1]), ratio(own[0], theirs[0]), milliseconds(slow[0]), ratio(slow[0], slowPeer[0])}
}

// p99 is the time within which 99 % of requests end while 16 are in progress, as the program that sends them to the adapter sees it.
func (a adapter) p99(r protocol.Request) float64 {
	const atOnce, each = 16, 50
	r.Fields["times"] = 1
	var all [atOnce * each]float64
	var crowd sync.WaitGroup
	for n := range atOnce {
		crowd.Go(func() {
			for i := range each {
				all[n*each+i] = a.do(r)
			}
		})
	}
	crowd.Wait()
	slices.Sort(all[:])
	return all[len(all)*99/100]
}

// firstCall compares the first call of a process, which opens a client, requests a token and lists the jobs, with the two
// requests alone.
func firstCall(h hosts.Host, peer string) []string {
	measure := func(call func(a adapter) float64) func() cost {
		return func() cost {
			began := time.Now()
			a := start(h)
			defer a.close()
			ready := time.Since(began).Seconds()
			return cost{call(a), ready, a.memory("VmHWM")}
		}
	}
	own, theirs := compare(15, measure(func(a adapter) float64 { return a.open("0") + a.repeat(1, ours) }),
		measure(func(a adapter) float64 { return a.repeat(1, forToken) + a.repeat(1, forJobs) }))
	first = append(first, bars{h.Name, peer, own[0], theirs[0]})
	return []string{
		peer, milliseconds(own[1]), milliseconds(theirs[0]), milliseconds(own[0]), ratio(own[0], theirs[0]), megabytes(theirs[2]),
		megabytes(own[2]),
	}
}

// clients measures one process, in which clients are opened and make calls.
func clients(h hosts.Host, _ string) []string {
	a := start(h)
	defer a.close()
	const further = 20 // clients, and how often a call is made
	least := func(call func(n int) float64) string {
		least := math.Inf(1)
		for n := range further {
			least = min(least, call(n+1))
		}
		return milliseconds(least)
	}
	first, before := a.open("0"), a.memory("VmRSS")
	idle := math.Inf(1) // what passing a request to the process takes
	for range further {
		idle = min(idle, a.do(protocol.Request{Op: "cancel"}))
	}
	next := least(func(n int) float64 { return a.open(fmt.Sprint(n)) - idle })
	memory := (a.memory("VmRSS") - before) / further
	list := least(func(int) float64 { return a.repeat(1, ours) })
	force := least(func(int) float64 {
		return a.do(protocol.Request{Op: "get_token", Client: "0", Fields: map[string]any{"force": true}})
	})
	unwell := protocol.Request{Op: "send_request", Client: "0", Fields: map[string]any{"path": unavailable}}
	failing := least(func(int) float64 { return a.repeat(further, unwell) / further }) // the last one is printed
	return []string{milliseconds(first), next, megabytes(memory), list, force, failing}
}

// cost is what a batch of calls takes, such as its time in seconds.
type cost []float64

// compare alternates batches of a library's calls and of its peer's, and returns the medians of both costs.
func compare(pairs int, ours, peers func() cost) (own, theirs cost) {
	var all [2][]cost
	for pair := range pairs + 1 {
		for n := range 2 {
			which := (n + pair) % 2
			c := [2]func() cost{ours, peers}[which]()
			if pair > 0 { // the first warms up
				all[which] = append(all[which], c)
			}
		}
	}
	return medians(all[0]), medians(all[1])
}

// medians returns the median of each kind of cost.
func medians(all []cost) (middle cost) {
	for i := range all[0] {
		slices.SortFunc(all, func(a, b cost) int { return cmp.Compare(a[i], b[i]) })
		middle = append(middle, all[len(all)/2][i])
	}
	return middle
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.3g ms", 1e3*seconds) }
func megabytes(kb float64) string         { return fmt.Sprintf("%.1f MB", kb/1000) }
func ratio(own, theirs float64) string    { return fmt.Sprintf("%.3g", own/theirs) }
