package call_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// world is a host with a token endpoint and a service, which fail the test if a call sends the
// ids of another caller or a token that has expired.
type world struct {
	*host
	expiry  map[string]int64 // of each granted token
	revoked map[string]bool
	closed  bool // the service refuses every token
}

func newWorld(t *testing.T) *world {
	return &world{host: newHost(t), expiry: map[string]int64{}, revoked: map[string]bool{}}
}

// list runs list_jobs for a caller to its end.
func (w *world) list(caller int) *made {
	w.t.Helper()
	c := w.beginListJobs(callers[caller].input)
	for !c.done() {
		w.response(c, caller)
	}
	return c
}

// token runs get_token to its end.
func (w *world) token(input string) *made {
	w.t.Helper()
	c := w.beginGetToken(input)
	for !c.done() {
		w.response(c, 0)
	}
	return c
}

// give grants a token that was requested at askedAt, 0 without a clock.
func (w *world) give(askedAt int64) (token string) {
	token = fmt.Sprintf("t-%d.", len(w.expiry)+1)
	w.expiry[token] = askedAt + 3600
	if askedAt == 0 {
		w.expiry[token] = math.MaxInt64 // the plugin cannot know
	}
	return token
}

// bearer returns the token of a request.
func bearer(request string) string {
	_, rest, _ := strings.Cut(request, "Bearer ")
	token, _, _ := strings.Cut(rest, "]")
	return token
}

// response passes the response to the request under way.
func (w *world) response(c *made, caller int) {
	w.t.Helper()
	request := c.request()
	if request == tokenRequest {
		c.take(grants(w.give(w.Clock), 3600))
		return
	}
	token, status := bearer(request), 200
	if expiry := w.expiry[token]; w.Clock >= expiry {
		w.t.Fatalf("%q, which expired at %d, is sent at %d", token, expiry, w.Clock)
	}
	if w.revoked[token] || w.closed {
		status = 401
	}
	c.take(jobsAs(callers[caller].customer, callers[caller].user, token, status)) // wants these ids
}

// checkToken wants get_token to return a valid token.
func (w *world) checkToken() {
	w.t.Helper()
	c := w.token("")
	if c.object() == nil {
		w.t.Fatal(c.result())
	}
	if expiresAt := w.checkObject(c.object()); expiresAt <= w.Clock {
		w.t.Errorf("%s at %d", c.object(), w.Clock)
	}
}

// checkObject wants a token object to have the token's expiry.
func (w *world) checkObject(object []byte) (expiresAt int64) {
	w.t.Helper()
	var got struct {
		AccessToken string `json:"access_token"`
		ExpiresAt   int64  `json:"expires_at"`
	}
	if err := json.Unmarshal(object, &got); err != nil {
		w.t.Fatalf("%s: %v", object, err)
	}
	if got.ExpiresAt != w.expiry[got.AccessToken] {
		w.t.Errorf("%s, but it expires at %d", object, w.expiry[got.AccessToken])
	}
	return got.ExpiresAt
}

// traps runs a part of a test that may be cut off.
func traps(part func()) (trapped bool) {
	defer func() {
		if r := recover(); r == (trap{}) {
			trapped = true
		} else if r != nil {
			panic(r)
		}
	}()
	part()
	return false
}

// cutOffs are calls that write vars, each with what happens before it.
var cutOffs = []struct {
	name         string
	before, call func(w *world)
}{
	{"the first list_jobs", func(w *world) {}, func(w *world) { w.list(0) }},
	{"the first list_jobs for ids of the input", func(w *world) {}, func(w *world) { w.list(1) }},
	{"the first get_token", func(w *world) {}, func(w *world) { w.token("") }},
	{"list_jobs for other ids", func(w *world) { w.list(0) }, func(w *world) { w.list(1) }},
	{"list_jobs for the config's ids again", func(w *world) { w.list(1) }, func(w *world) { w.list(0) }},
	{"list_jobs for a third pair of ids", func(w *world) { w.list(1) }, func(w *world) { w.list(2) }},
	{"a forced token", func(w *world) { w.list(0) }, func(w *world) { w.Clock += 1800; w.token(`{"force":true}`) }},
	{"a renewal", func(w *world) { w.list(0); w.Clock += 3540 }, func(w *world) { w.list(0) }},
	{"a renewal for other ids", func(w *world) { w.list(2); w.Clock += 3600 }, func(w *world) { w.list(1) }},
	{"a recovered 401", func(w *world) { w.list(0); w.revoked["t-1."] = true }, func(w *world) { w.list(0) }},
	{"a recovered 401 for other ids", func(w *world) { w.list(0); w.revoked["t-1."] = true }, func(w *world) { w.list(1) }},
	{"a 401 with a new token", func(w *world) { w.closed = true }, func(w *world) { w.list(1) }},
	{"a 401 on the retry", func(w *world) { w.list(0); w.closed = true }, func(w *world) { w.list(1) }},
	{"a 2xx after a 401", func(w *world) { w.closed = true; w.list(0); w.closed = false }, func(w *world) { w.list(0) }},
	{"a 2xx after a 401 for other ids", func(w *world) { w.closed = true; w.list(0); w.closed = false }, func(w *world) { w.list(2) }},
}

func TestACutOffCallLeavesNothingInconsistent(t *testing.T) {
	for _, tt := range cutOffs {
		t.Run(tt.name, func(t *testing.T) {
			const most = 50 // writes of one call, by far
			for write := 1; ; write++ {
				trapped := false
				for _, pause := range []int64{61, 1739, 1740, 1800, 3538, 3539, 3540, 3600, 100_000} {
					w := newWorld(t)
					tt.before(w)
					w.writes, w.trapAt = 0, write
					trapped = traps(func() { tt.call(w) })
					w.trapAt = 0
					w.closed = false
					w.Clock += pause
					checkLater(w, int(pause)%3)
				}
				if !trapped {
					if write == 1 || write > most {
						t.Errorf("%d writes", write-1)
					}
					return
				}
			}
		})
	}
}

// checkLater makes the calls that follow; world checks them.
func checkLater(w *world, first int) {
	w.t.Helper()
	for i := range 6 {
		w.list((first + i) % 3).wantResponse()
		w.list((first + i) % 3).wantResponse()
		if i%2 == first%2 {
			w.checkToken()
		}
	}
	w.list(4).wantResponse()
}
