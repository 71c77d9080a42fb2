package conformance

import (
	"bytes"
	"fmt"
	"strings"

	"automatic-rostering/tests/conformance/protocol"
)

// While a third of the margin is left, the token is renewed in the background. Later, one call renews it, and the others
// use the old one.
func renewalDelaysNobody(w *world) {
	c := w.client(false)
	c.lists(start, "token-0001")
	w.auth.Hold(true)
	c.lists(renewal, "token-0001")
	request := w.auth.Next()
	for range 50 {
		c.lists(renewal, "token-0001")
	}
	w.succeeds(c.begin("get_token", renewal, 0), 0)
	request.Respond()
	c.becomes(renewal, "token-0002")
	w.tokenRequests(2)

	const lateAgain = renewal + 3585
	renews := c.begin("list_jobs", lateAgain, 0)
	request = w.auth.Next()
	for range 50 {
		c.lists(lateAgain, "token-0002")
	}
	w.pending(renews)
	request.Respond()
	w.listed(renews, "token-0003")
	w.tokenRequests(3)
}

func renewalFails(w *world) {
	c := w.client(false)
	c.lists(start, "token-0001")
	w.auth.Down(true)
	c.lists(renewal, "token-0001")
	w.auth.Requested(2)
	for now := int64(renewal); now < late; now++ {
		c.lists(now, "token-0001")
	}
	c.lists(late, "token-0001") // within the backoff, or its own renewal fails
	w.auth.Down(false)
	c.lists(start+3700, "token-0002")
}

func fleetRenewsOnce(w *world) {
	one, other := w.client(true), w.client(true)
	one.lists(start, "token-0001")
	other.lists(start, "token-0001")
	w.store.Expire(":asking")
	w.auth.Hold(true)
	one.lists(renewal, "token-0001")
	request := w.auth.Next()
	for range 10 {
		other.lists(renewal, "token-0001")
		one.lists(renewal, "token-0001")
	}
	request.Respond()
	one.becomes(renewal, "token-0002")
	w.store.Wait("", "token-0002")
	other.becomes(renewal+2, "token-0002")
	w.tokenRequests(2)
}

// A warm call needs no plugin, until anything could have changed what that would say.
func warmCalls(w *world) {
	c := w.traced()
	c.lists(start, "token-0001")
	asked := func(now int64, token string) int {
		w.Helper()
		p := c.begin("list_jobs", now, 0)
		w.listed(p, token)
		a, _ := p.Response()
		calls := 0
		for _, l := range a.Logs { // in some languages also those of the rules beside this one
			if strings.Contains(l.Line, "called") {
				calls++
			}
		}
		return calls
	}
	warm := func(what string, now int64, token string) {
		w.Helper()
		if asked(now, token) == 0 {
			w.Errorf("%s: the plugin was not asked", what)
		}
		if n := asked(now, token); n != 0 {
			w.Errorf("%s: the plugin was asked %d times by a warm call", what, n)
		}
	}
	warm("a token", start, "token-0001")
	calls := 0
	for range 1000 {
		calls += asked(start+3539, "token-0001")
	}
	if calls != 0 {
		w.Errorf("1000 warm calls asked the plugin %d times", calls)
	}
	warm("a clock set back", start+10, "token-0001")
	w.succeeds(c.send(protocol.Request{Op: "call", Export: "clear_token"}), 0)
	asked(start+10, "token-0002")
	warm("clear_token", start+10, "token-0002")
	got := w.succeeds(c.begin("get_token", start+10, 0), 0)
	set := bytes.Replace(got.Output, []byte("token-0002"), []byte("token-own"), 1)
	w.succeeds(c.send(protocol.Request{Op: "call", Export: "set_token", Input: append(set[:len(set)-1], fmt.Sprintf(`,"now":%d}`, start+10)...)}), 0)
	warm("set_token", start+10, "token-own")
	w.refuse("token-own")
	asked(start+10, "token-0003")
	warm("a revocation", start+10, "token-0003")
	refused := fmt.Appendf(nil, `{"now":%d,"refused":"token-0003"}`, start+80)
	w.succeeds(c.send(protocol.Request{Op: "drive", Export: "get_token", Input: refused}), 0)
	warm("refused", start+80, "token-0004")
	w.auth.Hold(true)
	const renewal = start + 80 + 3540
	if n := asked(renewal-1, "token-0004"); n != 0 {
		w.Errorf("a second before the renewal the plugin was asked %d times", n)
	}
	if n := asked(renewal, "token-0004"); n == 0 {
		w.Error("at the time of the renewal the plugin was not asked")
	}
	w.auth.Next().Respond()
}

func manyCallers(w *world) {
	c := w.client(false)
	w.auth.Hold(true)
	var callers []*protocol.Pending
	for range 200 {
		callers = append(callers, c.begin("list_jobs", start, 0))
	}
	request := w.auth.Next()
	w.allRead()
	w.pending(callers...)
	request.Respond()
	for _, p := range callers {
		w.listed(p, "token-0001")
	}
	w.tokenRequests(1)
}

// The wait of 5 seconds ends with the call that it is for: who waits has less time than that.
func waitEndsWithCall(w *world) {
	c := w.client(false)
	w.auth.Hold(true)
	requests := c.begin("list_jobs", start, 0)
	request := w.auth.Next()
	waits := c.begin("list_jobs", start, 4500)
	w.allRead()
	w.pending(requests, waits)
	request.Respond()
	w.listed(requests, "token-0001")
	w.listed(waits, "token-0001")
	w.tokenRequests(1)
}

func callersLeave(w *world) {
	c := w.client(false)
	w.auth.Hold(true)
	var callers []*protocol.Pending
	for range 5 {
		callers = append(callers, c.begin("list_jobs", start, 500))
	}
	request := w.auth.Next()
	for _, p := range callers {
		w.timesOut(p)
	}
	if request.Left() {
		w.Fatal("the token request ended with its caller")
	}
	stays := c.begin("list_jobs", start, 0)
	w.allRead()
	request.Respond()
	w.listed(stays, "token-0001")
	c.lists(start, "token-0001")
	w.tokenRequests(1)
}

func cancel(w *world) {
	c := w.client(false)
	w.auth.Hold(true)
	requests := c.begin("list_jobs", start, 0)
	request := w.auth.Next()
	waits := c.begin("list_jobs", start, 0)
	stays := c.begin("list_jobs", start, 0)
	w.canceled(requests)
	w.canceled(waits)
	if request.Left() {
		w.Fatal("the token request ended with its caller")
	}
	request.Respond()
	w.listed(stays, "token-0001")
	c.lists(start, "token-0001")
	w.tokenRequests(1)
}

func serviceEndsWithCaller(w *world) {
	c := w.client(false)
	c.lists(start, "token-0001")
	w.service.Hold(true)
	canceled := c.begin("list_jobs", start, 0)
	request := w.service.Next()
	w.canceled(canceled)
	request.WaitUntilLeft()
	leaves := c.begin("list_jobs", start, 500)
	request = w.service.Next()
	w.timesOut(leaves)
	request.WaitUntilLeft()
	w.service.Hold(false)
	c.lists(start, "token-0001")
	w.tokenRequests(1)
}

// A POST that was done is never reported as a failure, whatever happens at the same time.
func responseCounts(w *world) {
	c := w.client(false)
	c.lists(start, "token-0001")
	w.service.Hold(true)
	posts := c.post(renewal-20, []byte("mine"))
	request := w.service.Next()
	w.service.Hold(false)
	w.auth.Hold(true)
	renews := c.begin("list_jobs", late, 0)
	renewing := w.auth.Next()
	request.Respond()
	a := w.succeeds(posts, 201)
	if want := "/mine with Bearer token-0001 and 4 bytes"; string(a.Output) != want {
		w.Errorf("the body is %q, not %q", a.Output, want)
	}
	w.succeeds(c.post(late, []byte("mine")), 201)
	w.pending(renews)
	renewing.Respond()
	w.listed(renews, "token-0002")
}

// The library gives the token endpoint 20 s.
func slowTokenEndpoint(w *world) {
	c := w.client(false)
	w.auth.Hold(true)
	requests := c.begin("list_jobs", start, 50_000)
	request := w.auth.Next()
	waits := c.begin("get_token", start, 50_000)
	w.fails(requests)
	w.fails(waits)
	request.WaitUntilLeft()
	w.fails(c.begin("list_jobs", start, 0)) // the backoff
	w.tokenRequests(1)
	w.auth.Hold(false)
	c.lists(start+60, "token-0001")
	w.tokenRequests(2)
}

func closeWaits(w *world) {
	c := w.client(false)
	c.lists(start, "token-0001")
	w.service.Hold(true)
	call := c.begin("list_jobs", start, 0)
	request := w.service.Next()
	closes := c.send(protocol.Request{Op: "close"})
	w.allRead()
	w.pending(closes, call)
	request.Respond()
	w.listed(call, "token-0001")
	w.succeeds(closes, 0)
	a, err := c.begin("list_jobs", start, 0).Response()
	if err != nil || a.Error+a.Trap == "" {
		w.Errorf("a call on a closed client ended with %+v, %v", a, err)
	}
}

func closeGivesUpToken(w *world) {
	c := w.client(false)
	w.auth.Hold(true)
	leaves := c.begin("list_jobs", start, 500)
	request := w.auth.Next()
	w.fails(leaves)
	w.succeeds(c.send(protocol.Request{Op: "close"}), 0)
	request.WaitUntilLeft()

	w.auth.Hold(false)
	c = w.client(true)
	c.lists(start, "token-0001")
	w.store.Expire(":asking")
	w.auth.Hold(true)
	c.lists(renewal, "token-0001")
	request = w.auth.Next()
	w.succeeds(c.send(protocol.Request{Op: "close"}), 0)
	request.WaitUntilLeft()
	if lock := w.store.Value(":asking"); !strings.Contains(lock, `"asking"`) {
		w.Errorf("what was given up left %s in the store: it counts as a failure of the token endpoint", lock)
	}
}

func largeBody(w *world) {
	c := w.client(false)
	w.service.Hold(true)
	body := bytes.Repeat([]byte{0, 1, 2, 3, 0xff, 0xfe, '"', '\\', '\n', 'x'}, 5<<20)
	posts := c.post(start, body)
	request := w.service.Next()
	if !bytes.Equal(request.Body, body) {
		w.Errorf("the body has %d bytes, and not those of the caller", len(request.Body))
	}
	request.Respond()
	w.succeeds(posts, 201)
}

func twoClients(w *world) {
	one, other := w.client(true), w.client(true)
	w.auth.Hold(true)
	var callers []*protocol.Pending
	for range 10 {
		callers = append(callers, one.begin("list_jobs", start, 0), other.begin("list_jobs", start, 0))
	}
	request := w.auth.Next()
	w.allRead()
	w.pending(callers...)
	request.Respond()
	for _, p := range callers {
		w.listed(p, "token-0001")
	}
	w.client(true).lists(start, "token-0001")
	w.tokenRequests(1)
}

func storeAfterCaller(w *world) {
	c := w.client(true)
	w.auth.Hold(true)
	leaves := c.begin("list_jobs", start, 500)
	request := w.auth.Next()
	w.fails(leaves)
	request.Respond()
	w.store.Wait("", "token-0001")
	w.store.Wait(":asking", "done")
	w.client(true).lists(start, "token-0001")
	w.tokenRequests(1)
}

func cancelInStore(w *world) {
	c := w.client(true)
	w.store.Hold(true)
	w.auth.Hold(true)
	call := c.begin("list_jobs", start, 0)
	request := w.store.Next()
	w.canceled(call)
	w.store.Hold(false)
	request.Respond() // unless the time for it is over
	w.auth.Next().Respond()
	w.auth.Hold(false)
	c.lists(start, "token-0001")
	w.tokenRequests(1)
}

// The library gives the store a second.
func slowStore(w *world) {
	c := w.client(true)
	w.store.Hold(true)
	call := c.begin("list_jobs", start, 0)
	w.store.Next() // its response is never sent
	w.listed(call, "token-0001")
	w.store.Hold(false)
	c.lists(late, "token-0002")
	w.store.Wait("", "token-0002")
}

func storeDown(w *world) {
	c := w.client(true)
	w.store.Down(true)
	c.lists(start, "token-0001")
	w.store.Down(false)
	c.lists(late, "token-0002")
	w.store.Wait("", "token-0002")
	w.store.Wait(":asking", "done")
	w.client(true).lists(late, "token-0002")
	w.tokenRequests(2)
}
