package model

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"automatic-rostering.example/rostering/internal/memory"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/instance"

	"github.com/tidwall/gjson"
)

const (
	start  = 1_800_000_000 // when virtual time begins, in Unix seconds
	secret = "SECRETpass+w\u00f6rt%&\"of=this\u20acclient"
)

// world is a few instances of the core, and their surroundings.
type world struct {
	*rand.Rand // for the current action
	profile
	time    int64
	now     int64 // by the clock of the instance that is called
	members []*member
	store   map[string]entry
	tokens  []string // issued so far
	kept    string   // by the token endpoint, until it expires
	keptEnd int64
	down    result            // the token endpoint's response while it fails
	lost    bool              // the store fails
	locks   map[string]string // the secrets of the locks, by their keys
	flows   []*running
	steps   int
	logs    []string
	finding *Finding
	trace   func(string)
}

// Finding is an invariant that does not hold.
type Finding struct {
	Rule, Detail string
	profile      profile
	actions      []uint64
}

// entry is a value in the store, until a time.
type entry struct {
	value string
	until int64
}

// member is an instance of the core.
type member struct {
	*memory.Host
	skew   int64
	client string
	number int
	clears int    // clear_token calls
	lock   string // the key of its lock, if it was seen
	known
}

// running is a flow. It keeps the result of its step, which may arrive late.
type running struct {
	at      *member
	begun          // how
	core    string // the flow
	last    step
	since   int64  // when that was returned
	key     string // that it reads or writes
	stored  string // and what it writes
	resumed bool
	ready   *delivery // the result of its step, if that was carried out before it is resumed
	secret  string    // of the instance then
	locked  string    // the secret whose lock it added last
	checks  checks
}

// begun is how a flow began.
type begun struct {
	client         string
	store, patient bool // the host has a store, and waits in backoffs
	force, used    bool
	refused        string
	start          int64 // when
}

type delivery struct {
	result
	text string
}

func newWorld(p profile) *world {
	w := &world{profile: p, store: map[string]entry{}, locks: map[string]string{}}
	for n := range p.instances {
		m := &member{Host: memory.New(config("client")), skew: p.skews[n], client: "client", number: n}
		m.Logged = func(_ host.Level, line string) { w.logs = append(w.logs, line) }
		w.members = append(w.members, m)
	}
	return w
}

func (w *world) oneIn(n int) bool { return w.IntN(n) == 0 }

func one[T any](w *world, of ...T) T { return of[w.IntN(len(of))] }

func (w *world) clock(m *member) int64 { return start + w.time + m.skew }

func (w *world) say(format string, args ...any) {
	if w.trace != nil {
		w.trace(fmt.Sprintf("%6d  ", w.time) + fmt.Sprintf(format, args...))
	}
}

func (w *world) fail(rule, format string, args ...any) {
	if w.finding == nil {
		w.finding = &Finding{Rule: rule, Detail: fmt.Sprintf(format, args...)}
	}
}

// act carries out the action that a number determines.
func (w *world) act(seed uint64) {
	w.Rand = rand.New(rand.NewPCG(seed, 3))
	if w.IntN(100) < w.pause {
		w.time += one[int64](w, 1, 1, 1, 1, 2, 2, 3, 4, 5, 9, 10, 30, 60, 295, 3540)
	}
	m := one(w, w.members...)
	switch kind := w.pick(); kind {
	case "begin":
		w.begin(m)
	case "direct":
		w.direct(m)
	case "resume", "again", "elsewhere", "perform", "wait out", "forge":
		b := w.pickFlow(kind == "again")
		if b == nil {
			return
		}
		switch kind {
		case "elsewhere":
			w.resume(b, m, false)
		case "perform":
			w.perform(b)
		case "wait out":
			w.waitOut(b)
		case "forge":
			w.forge(b)
		default:
			w.resume(b, b.at, kind == "resume")
		}
	case "drop":
		w.flows = w.flows[:len(w.flows)/2]
	case "set":
		w.set(m)
	case "rotate":
		w.rotate(m, secret+one(w, "", "2", "3"))
	case "config":
		m.client = one(w, "client", "other")
		m.Settings, m.lock = config(m.client), ""
		w.clear(m)
	case "clear":
		for range one(w, 1, 1, 2, 4, 8) {
			w.clear(m)
		}
	case "skew":
		m.skew += one[int64](w, 1, 3, -1, -3, -30, -61, -100, 100, -3600, 3600)
		m.known = known{refusedAt: w.clock(m) + 2*hour} // whatever the core noted may be later than now
	case "down":
		w.down = w.failure()
	case "up":
		w.down = result{}
	case "store":
		w.lost = !w.lost
	case "forget":
		clear(w.store)
	case "poison":
		w.poison(m)
	}
}

func (w *world) failure() result {
	return one(w, result{failed: true}, result{status: 503}, result{status: 503}, result{status: 429, retryAfter: one[int64](w, 1, 7, 60, 9000)},
		result{status: 400}, result{status: 401}, result{status: 200})
}

// poison writes something unexpected to the store.
func (w *world) poison(m *member) {
	key := cacheKey(m.client)
	now := start + w.time
	end := w.time + one[int64](w, 1, 5, 700)
	failed := func(code string, status, until, wait, count int64) string {
		return fmt.Sprintf(`{"state":"failed","code":%q,"status":%d,"until":%d,"wait":%d,"failures":%d}`, code, status, until, wait, count)
	}
	if w.oneIn(3) || m.lock == "" {
		expires := now + one[int64](w, -1, 1, 50, 3600, 90000)
		more := fmt.Sprintf(`,"requested_at":%d,"patience":%d}`, now-one[int64](w, now-253402300799, -500, -1, 0, 1, 8, 100, 3000), one(w, 1, 60, 360, 1_000_000_000))
		w.store[key] = entry{one(w, "", "x", "{}", object(w.token(m), expires, key), strings.Replace(object(w.token(m), expires, key), "}", more, 1), object(w.token(m), now+500, "other")), end}
		return
	}
	wait := one[int64](w, 1, 2, 4, 60)
	w.store[m.lock] = entry{one(w, `{"state":"requesting"}`, `{"state":"done"}`, `{"state":"new"}`, "x", failed("token_endpoint_rejected", 401, now+wait, wait, 2),
		failed("network_error", 0, now+wait, wait, 3), failed("token_endpoint_unavailable", 503, now-700, wait, 3), failed("service_unauthorized", 401, now+wait, wait, 3)), end}
}

// token returns the text of some token.
func (w *world) token(m *member) string {
	switch n := w.IntN(10); {
	case n < 5 && m.held(instance.TokenObject) != "":
		return m.held(instance.TokenObject)
	case n < 6 && m.held(instance.Previous) != "":
		return m.held(instance.Previous)
	case n < 9 && len(w.tokens) > 0:
		return one(w, w.tokens...)
	}
	return w.issue()
}

func (w *world) issue() string {
	text := fmt.Sprintf("TOKEN-%d-", len(w.tokens)+1)
	w.tokens = append(w.tokens, text)
	return text
}

// respond returns the result of a step, for the invariants and for the core.
func (w *world) respond(b *running) (r result, text string) {
	s, key := b.last, b.key
	e := w.store[key]
	if e.until <= w.time {
		e = entry{}
	}
	if s.key != "" && (w.lost || w.odd && w.oneIn(10)) {
		return result{failed: true}, `,"failed":"reason"`
	}
	switch s.kind {
	case "get":
		if e.value == "" {
			return result{}, `,"value":null`
		}
		if s.key == "lock" {
			r.lockFailed = gjson.Get(e.value, "state").Str == "failed"
		} else if v := gjson.Parse(e.value); v.Get("cache_key").Str == key {
			r.token, r.expires = v.Get("access_token").Str, v.Get("expires_at").Int()
			r.requested = v.Get("requested_at").Int()
		}
		return r, `,"value":` + quote(e.value)
	case "add":
		if r.added = e.value == ""; r.added {
			w.store[key] = entry{b.stored, w.time + s.ttl}
		}
		return r, fmt.Sprintf(`,"added":%v`, r.added)
	case "set":
		if !w.odd || !w.oneIn(10) { // lost
			w.store[key] = entry{b.stored, w.time + s.ttl}
		}
		return r, ""
	case "wait":
		return r, ""
	}
	return w.endpoint()
}

// endpoint is the token endpoint.
func (w *world) endpoint() (r result, text string) {
	if r = w.down; w.odd && w.oneIn(8) {
		r = w.failure()
	}
	switch {
	case r.failed:
		return r, `,"failed":"<secret>"`
	case r.status == 200:
		return r, `,"status":200,"body":` + quote(tokenResponse(&r))
	case r.status != 0:
		text = fmt.Sprintf(`,"status":%d,"body":"<body>"`, r.status)
		if r.retryAfter > 0 {
			text += fmt.Sprintf(`,"headers":{"Retry-After":"%d"}`, r.retryAfter)
		}
		return r, text
	}
	r.status, r.expiresIn = 200, one[int64](w, 3600, 3600, 300, 100, 10, 2, 90000)
	if w.repeats && w.time < w.keptEnd && !w.oneIn(5) {
		r.token, r.expiresIn = w.kept, w.keptEnd-w.time
	} else {
		r.token = w.issue()
		w.kept, w.keptEnd = r.token, w.time+r.expiresIn
	}
	return r, `,"status":200,"body":` + quote(tokenResponse(&r))
}

// tokenResponse returns the body of a response of the token endpoint.
func tokenResponse(r *result) string {
	if r.token == "" {
		return `{"access_token":"` + secret[:10]
	}
	return fmt.Sprintf(`{"access_token":%s,"token_type":"Bearer","expires_in":%d}`, quote(r.token), r.expiresIn)
}
