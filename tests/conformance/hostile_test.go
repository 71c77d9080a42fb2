package conformance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"automatic-rostering/tests/conformance/canary"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
)

// Servers do what no server should: a call must end in time, with little memory and a clear error, and the
// next one must succeed. How it ends is recorded for each library, as redirects are for each raw host.
func TestHostile(t *testing.T) {
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		host := h.Start(t)
		if versions, err := host.Versions(); err != nil {
			t.Error(err)
		} else if *update {
			compareRecord(t, recorded.Libraries, h.Name, versions)
		}
		bombs() // which takes a while to make
		meetAll := func() outcomes {
			return probe(func(path string) map[string]string {
				all := map[string]string{}
				for _, k := range kinds {
					outcome, err := meet(host, path, k)
					if err != nil {
						t.Errorf("%s of %s: %v", k.name, path, err)
					}
					all[k.name] = outcome
				}
				return all
			})
		}
		got := meetAll()
		if !t.Failed() && !isRecorded(recorded.Hostile, h.Name, got) {
			got = meetAll() // on a busy machine, a call may have timed out
		}
		compareRecord(t, recorded.Hostile, h.Name, got)
	})
}

// probe returns what happens if the server at a path is not as it should be, for both.
func probe(at func(path string) map[string]string) outcomes {
	return outcomes{Token: at("/connect/token"), Service: at("/jobs")}
}

// hostile is a token endpoint and a service, of which one does what no server should while it is on.
type hostile struct {
	net.Listener
	path  string
	kind  kind
	on    atomic.Bool
	times atomic.Int32
}

func startHostile(path string, k kind) (*hostile, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &hostile{Listener: l, path: path, kind: k}
	s.on.Store(true)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s, nil
}

// config is that of a client of the server.
func (s *hostile) config() map[string]string {
	origin := "http://" + s.Addr().String()
	return map[string]string{
		"environment": "stage", "auth_url": origin, "base_url": origin, "client_id": "client-1",
		"client_secret": hostileSecret, "customer_id": "the-customer", "user_id": "user-1",
	}
}

const someJobs = `{"jobs":[]}`

func (s *hostile) serve(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		form, _ := io.ReadAll(r.Body)
		if s.on.Load() && s.path == r.URL.Path {
			s.times.Add(1)
			asked, _ := url.QueryUnescape(string(form))
			s.kind.do(c, asked+r.Header.Get("Authorization"))
			if !s.kind.stays {
				return
			}
			continue
		}
		body := `{"access_token":"token-0001","token_type":"Bearer","expires_in":3600}`
		if r.URL.Path != "/connect/token" {
			body = someJobs
		}
		_, _ = io.WriteString(c, sized(body))
	}
}

// The timeouts of calls: those that nothing else ends have a short one.
const (
	timeout      = 30 * time.Second
	shortTimeout = 1500 * time.Millisecond
)

// meet has a client of a library meet a kind, and then a server as it should be, and returns how the call ended:
// the code of its error, or a result.
func meet(h *run.Host, path string, k kind) (outcome string, err error) {
	// A server for each: what one leaves in a connection is no other's.
	s, err := startHostile(path, k)
	if err != nil {
		return "", err
	}
	defer s.Close()
	client := "hostile " + s.Addr().String()
	made, err := h.Do(protocol.Request{Op: "open", Client: client, Config: s.config(), Open: protocol.Open{Clock: true}})
	if err != nil || made.Trap+made.Error != "" {
		return "", fmt.Errorf("no client: %s%s, %w", made.Trap, made.Error, err)
	}
	defer h.Do(protocol.Request{Op: "close", Client: client})
	list := func(now int64, timeout time.Duration) (protocol.Response, error) {
		return h.Do(protocol.Request{Op: "list_jobs", Client: client, Call: protocol.Call{
			Now: &now, Timeout: fmt.Append(nil, timeout.Seconds()),
		}})
	}
	before, limit := memoryOf(h.Process.PID()), timeout
	if k.drips {
		limit = shortTimeout
	}
	a, err := list(1800000000, limit)
	s.on.Store(false)
	if err != nil {
		return "", err
	}
	if outcome, err = ending(a); err != nil {
		return "", err
	}
	if n := s.times.Load(); n > 1 { // the library's HTTP client repeats it
		outcome += fmt.Sprintf(", after %d requests", n)
	}
	if grown := memoryOf(h.Process.PID()) - before; grown > mostMemory {
		return "", fmt.Errorf("the library took %d MB for it", grown>>20)
	}
	// After the backoff. What is left in the connection may fail it; then the one after it succeeds.
	next, err := list(1800000100, timeout)
	if strings.Contains(next.Error, `"network_error"`) && !k.stays {
		next, err = list(1800000200, timeout)
	}
	if err == nil && (next.Status != 200 || string(next.Body) != someJobs) {
		err = fmt.Errorf("the next call ends with %+v", next)
	}
	if strings.Contains(string(a.Body), ofAnother) {
		err = errors.New("the call gets a response to no request")
	}
	return outcome, err
}

// ending returns how a call ended. Its error must explain what to do, and not show the secret.
func ending(a protocol.Response) (string, error) {
	shown := strings.Join([]string{a.Error, a.Text, a.Shown, a.Cause, a.Misuse, a.Trap}, "\n")
	if a.Error != "" { // the headers of a result are as the service sent them
		headers, _ := json.Marshal(a.Headers)
		shown += string(headers)
	}
	for _, secret := range []string{firstWord, secondWord, "token-00"} {
		if canary.Shows(shown, secret) {
			return "", fmt.Errorf("the error shows a secret: %.3000s", shown)
		}
	}
	switch {
	case a.Trap+a.Misuse != "" || a.Canceled:
		return "", fmt.Errorf("the call ends with %+v", a)
	case a.Error == "" && len(a.Body) < 1<<10:
		return fmt.Sprintf("%d, %d bytes", a.Status, len(a.Body)), nil
	case a.Error == "":
		return fmt.Sprintf("%d, %d KB", a.Status, len(a.Body)>>10), nil
	}
	var e struct {
		Code, Message string
		Retryable     bool
		Status        int
	}
	if err := json.Unmarshal([]byte(a.Error), &e); err != nil || e.Code == "" || e.Message == "" || len(a.Error) > 100_000 {
		return "", errors.New("the error is " + a.Error[:min(len(a.Error), 300)])
	}
	if e.Retryable {
		e.Code += ", retryable"
	}
	return e.Code, nil
}

// mostMemory is how much a process and its children may grow for one call: the largest body
// that a library takes, some times, since some runtimes collect garbage late.
const mostMemory = 10 * 64 << 20

// memoryOf is what a process and its children have in memory, in bytes.
func memoryOf(pid int) int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		b, _ := os.ReadFile(file) // it may be gone
		_, rest, _ := strings.Cut(string(b), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			children[parent] = append(children[parent], child)
		}
	}
	sum := 0
	for all := []int{pid}; len(all) > 0; all = append(all[1:], children[all[0]]...) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", all[0]))
		if fields := strings.Fields(string(b)); len(fields) > 1 {
			pages, _ := strconv.Atoi(fields[1])
			sum += pages * os.Getpagesize()
		}
	}
	return sum
}
