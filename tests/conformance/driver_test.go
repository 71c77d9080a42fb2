package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
)

// The rules of docs/contract.md for a driver, on each library. No test asserts a
// duration: what must not wait ends while the test holds back what it must not wait for.
func TestDriverRules(t *testing.T) { hosts.EachLibrary(t, driverRules) }

func driverRules(t *testing.T, h hosts.Host) {
	host := h.Start(t)
	host.Process.Bound = held.Patience
	newWorld(t, host).client(false) // which compiles the plugin, for those that keep it
	var slow sync.WaitGroup
	defer slow.Wait()
	for _, r := range rules {
		test := func() { t.Run(r.name, func(t *testing.T) { r.rule(newWorld(t, host)) }) }
		if r.slow {
			slow.Go(test)
		} else {
			test()
		}
	}
}

var rules = []struct {
	name string
	rule func(*world)
	slow bool // it waits for a timeout of the library, in addition to the others
}{
	{"the token endpoint never responds", slowTokenEndpoint, true},
	{"the store is slow", slowStore, true},
	{"a warm call needs no plugin", warmCalls, false},
	{"a renewal delays no call whose token is valid", renewalDelaysNobody, false},
	{"a renewal that fails disturbs no call", renewalFails, false},
	{"of a fleet one renews", fleetRenewsOnce, false},
	{"many callers make one token request", manyCallers, false},
	{"a wait for another call ends with it", waitEndsWithCall, false},
	{"a caller that leaves does not end the request", callersLeave, false},
	{"a caller that cancels does not end the request", cancel, false},
	{"a request to the service ends with its caller", serviceEndsWithCaller, true}, // in Python, whose threads cannot be canceled
	{"a response that has arrived is returned to the caller", responseCounts, false},
	{"close waits for the calls before it", closeWaits, false},
	{"close gives up a token request that no call waits for", closeGivesUpToken, false},
	{"a body of 50 MB", largeBody, false},
	{"two clients of one store make one token request", twoClients, false},
	{"the store has the token although its caller left", storeAfterCaller, false},
	{"a caller that cancels does not end a store step", cancelInStore, false},
	{"the store is down, and comes back", storeDown, false},
}

// The time of the first calls, one at which their token is renewed in the background, and one at
// which a call renews it.
const (
	start   = 1800000000
	renewal = start + 3550
	late    = start + 3585
)

// world is the servers and the clients of one test.
type world struct {
	*testing.T
	host    *run.Host
	auth    *held.Server
	service *held.Server
	store   *held.Store
	refused atomic.Value // the token that gets a 401
}

func newWorld(t *testing.T, host *run.Host) *world {
	w := &world{T: t, host: host, auth: held.Tokens(t), store: held.NewStore(t)}
	w.refuse("none")
	w.service = held.New(t, func(to http.ResponseWriter, r *http.Request, body []byte) {
		token := r.Header.Get("Authorization")
		switch {
		case token == w.refused.Load():
			to.WriteHeader(http.StatusUnauthorized)
		case r.Method == "POST":
			to.WriteHeader(http.StatusCreated)
		}
		fmt.Fprintf(to, "%s with %s and %d bytes", r.RequestURI, token, len(body))
	})
	return w
}

// refuse has the service refuse a token.
func (w *world) refuse(token string) { w.refused.Store("Bearer " + token) }

// client is a client of the library.
type client struct {
	*world
	instance string
}

// client creates a client, with the store if it shares.
func (w *world) client(shares bool) client {
	w.Helper()
	if shares {
		return w.clientOf(w.host.Wasm, w.store.URL)
	}
	return w.clientOf(w.host.Wasm, "")
}

// traced creates a client of the build that logs each call of the plugin.
func (w *world) traced() client {
	w.Helper()
	return w.clientOf(filepath.Join(hosts.Root(), "build/rostering-trace.wasm"), "")
}

func (w *world) clientOf(wasm, store string) client {
	w.Helper()
	c := client{w, fmt.Sprintf("%s %p", w.Name(), new(int))}
	r := protocol.Request{Op: "create", Instance: c.instance, Wasm: wasm, Client: true, Store: store, Config: map[string]string{
		"environment": "stage", "auth_url": w.auth.URL, "base_url": w.service.URL,
		"client_id": "client-1", "client_secret": held.Secret, "customer_id": "customer-1", "user_id": "user-1",
	}}
	if a, err := w.host.Do(r); err != nil || a.Trap != "" || a.Error != "" {
		w.Fatalf("create: %v%s%s", err, a.Trap, a.Error)
	}
	w.Cleanup(func() { w.host.Do(protocol.Request{Op: "close", Instance: c.instance}) })
	return c
}

// begin begins a call and does not wait for its end.
func (c client) begin(export string, now int64, timeoutMS int64) *protocol.Pending {
	c.Helper()
	return c.send(protocol.Request{Op: "drive", Export: export, Input: fmt.Appendf(nil, `{"now":%d}`, now), TimeoutMS: timeoutMS})
}

// post begins a POST with a body that the plugin does not see.
func (c client) post(now int64, body []byte) *protocol.Pending {
	c.Helper()
	input := fmt.Appendf(nil, `{"now":%d,"path":"/mine","method":"POST","body":true}`, now)
	return c.send(protocol.Request{Op: "drive", Export: "send_request", Input: input, Body: body})
}

func (c client) send(r protocol.Request) *protocol.Pending {
	c.Helper()
	r.Instance = c.instance
	p, err := c.host.Process.Send(r)
	if err != nil {
		c.Fatal(err)
	}
	return p
}

// allRead waits until the host has read all requests so far.
func (w *world) allRead() {
	w.Helper()
	if _, err := w.host.Versions(); err != nil {
		w.Fatal(err)
	}
}

// succeeds wants a call to succeed with a status.
func (w *world) succeeds(p *protocol.Pending, status int) protocol.Response {
	w.Helper()
	a, err := p.Response()
	if err != nil || a.Error != "" || a.Trap != "" || a.Canceled || a.Status != status && status != 0 {
		w.Fatalf("the call ended with %+v, %v", a, err)
	}
	return a
}

// lists makes a list_jobs, which must succeed with a token.
func (c client) lists(now int64, token string) {
	c.Helper()
	c.listed(c.begin("list_jobs", now, 0), token)
}

// listed wants a list_jobs to succeed with a token.
func (w *world) listed(p *protocol.Pending, token string) {
	w.Helper()
	a := w.succeeds(p, 200)
	if want := "/jobs with Bearer " + token + " and 0 bytes"; string(a.Output) != want {
		w.Errorf("the body is %q, not %q", a.Output, want)
	}
}

// becomes makes list_jobs until one has a token.
func (c client) becomes(now int64, token string) {
	c.Helper()
	for until := time.Now().Add(held.Patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if a := c.succeeds(c.begin("list_jobs", now, 0), 200); strings.Contains(string(a.Output), token) {
			return
		}
	}
	c.Fatalf("no call has %s within %s", token, held.Patience)
}

// fails wants a call to fail with a retryable network_error.
func (w *world) fails(p *protocol.Pending) {
	w.Helper()
	a, err := p.Response()
	var e struct {
		Code      string
		Retryable bool
	}
	if err != nil || json.Unmarshal([]byte(a.Error), &e) != nil || e.Code != "network_error" || !e.Retryable {
		w.Fatalf("the call ended with %+v, %v, not with a retryable network_error", a, err)
	}
}

// timesOut wants a call to fail with an error that says so.
func (w *world) timesOut(p *protocol.Pending) {
	w.Helper()
	w.fails(p)
	if a, _ := p.Response(); !strings.Contains(a.Error, "timed out") {
		w.Errorf("the error does not say that it timed out: %s", a.Error)
	}
}

// canceled cancels a call, which must end so.
func (w *world) canceled(p *protocol.Pending) {
	w.Helper()
	if a, err := w.host.Do(protocol.Request{Op: "cancel", Target: p.ID}); err != nil || a.Trap != "" {
		w.Fatalf("cancel: %v%s", err, a.Trap)
	}
	if a, err := p.Response(); err != nil || !a.Canceled {
		w.Fatalf("the call ended with %+v, %v, not canceled", a, err)
	}
}

// tokenRequests wants so many token requests to have come.
func (w *world) tokenRequests(want int) {
	w.Helper()
	if got := w.auth.Count(); got != want {
		w.Errorf("%d token requests came, not %d", got, want)
	}
}

// pending wants nothing to have ended yet.
func (w *world) pending(all ...*protocol.Pending) {
	w.Helper()
	for _, p := range all {
		select {
		case <-p.Done():
			a, err := p.Response()
			w.Errorf("it ended too early, with %+v, %v", a, err)
		default:
		}
	}
}
