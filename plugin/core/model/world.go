package model

import (
	"fmt"
	"maps"
	"strings"

	"github.com/tidwall/gjson"

	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/memory"
)

// world is a number of instances and their surroundings, in which actions happen.
type world struct {
	profile   profile
	time      int64
	steps     int
	instances []*instance
	store     map[string]entry
	tokens    map[string]*issued
	granted   int
	refuses   bool // the service refuses every token
	down      bool // the token endpoint responds with 503
	storeDown bool
	calls     []*branch // those under way
	ended     []*branch // those that ended recently, or were dropped
	logs      []string
	passed    string // the last result that was passed

	trace   func(string) // gets what happens; may be nil
	finding *Finding
}

// instance is one instance of the core, and what it knows according to the model.
type instance struct {
	*host
	facts  facts
	number int
	offset int64          // of its clock
	dirty  bool           // its config was changed, and clear_token not called yet
	had    map[string]int // the era in which it was given each token
	latest int64          // the latest time of its clock
	losses int            // calls that ended because there was no room
	kept   map[string]keptStep
}

// keptStep is a step of begin that a host may reuse for the same input without now.
type keptStep struct {
	text      string
	at, until int64
}

// issued is a token that exists.
type issued struct {
	client  string
	revoked bool
	expires int64
}

type entry struct {
	value   string
	expires float64
}

// branch is a call under way, and its attempt at each step, with the flow.
type branch struct {
	id      int
	at      *instance
	home    *instance // in which it began
	attempt attempt
	before  []attempt
	steps   int
	input   string
}

const (
	start  = 1_800_000_000 // when virtual time begins, in Unix seconds
	secret = "SECRETpass+w\u00f6rt%&\"of=this\u20acclient"
)

func newWorld(p profile) *world {
	w := &world{profile: p, store: map[string]entry{}, tokens: map[string]*issued{}}
	for n := range p.instances {
		i := &instance{host: newHost(configOf("client-a", p.secret())), number: n, had: map[string]int{}, offset: p.offsets[n]}
		i.facts.client, i.room = "client-a", p.room
		i.Logged = func(_ call.Level, line string) { w.logs = append(w.logs, line) }
		w.instances = append(w.instances, i)
	}
	return w
}

// fail records that an invariant does not hold.
func (w *world) fail(invariant, format string, args ...any) {
	if w.finding == nil {
		w.finding = &Finding{Invariant: invariant, Detail: fmt.Sprintf(format, args...)}
	}
}

func (w *world) clock(i *instance) int64 { return start + w.time + i.offset }

// act carries out an action, and reports whether it was possible.
func (w *world) act(a *action) bool {
	w.time += a.pass
	i := w.instances[a.at%len(w.instances)]
	switch a.do {
	case "begin":
		return w.begin(a, i)
	case "resume":
		return w.resume(a, i)
	case "drop":
		return w.drop(a)
	case "set_token":
		return w.setToken(a, i)
	case "clear_token":
		i.clear()
		if o, ok := w.take(i, "clear_token", nil); ok && o.words != "nothing" {
			w.fail("clear_token returns nothing", "%s", o.text)
		}
	case "config":
		i.configure(a.name, w.profile.secret())
	case "jump":
		i.offset += a.num
	case "revoke":
		for _, t := range w.tokens {
			t.revoked = true
		}
	case "refuse":
		w.refuses = a.num != 0
	case "down":
		w.down = a.num != 0
	case "store down":
		w.storeDown = a.num != 0
	case "forget":
		clear(w.store)
	case "poison":
		key := cacheKey(i.facts.client)
		if a.name == "lock" {
			key += ":asking"
		}
		w.store[key] = entry{strings.ReplaceAll(a.text, "KEY", cacheKey(i.facts.client)), float64(w.time + a.num)}
	}
	return true
}

func (i *instance) clear() {
	i.facts.clear()
	i.dirty = false
}

// configure changes the config: then the host calls clear_token before the next call begins.
func (i *instance) configure(name, secret string) {
	i.dirty = true
	if name == "broken" {
		i.Settings, i.facts.broken = with(i.Settings, "client_id", ""), true
		return
	}
	i.Settings, i.facts.client, i.facts.broken = configOf(name, secret), name, false
}

func (w *world) setToken(a *action, i *instance) bool {
	if i.dirty {
		return false
	}
	now, text := w.clock(i), ""
	if a.noNow {
		now = i.Clock
	} else {
		text = fmt.Sprintf(`,"now":%d`, now)
	}
	i.see(now)
	known := w.tokens[a.text]
	if known == nil {
		known = w.issue(a.text, i.facts.client, 3600)
	}
	expires := start + w.time + a.num
	if !usable(now, i.facts.token.asked) {
		now = 0
	}
	want := "error token_mismatch"
	if known.client == i.facts.client || i.facts.broken {
		want = i.facts.set(a.text, expires, now)
	}
	w.steps++
	o, ok := w.take(i, "set_token", fmt.Appendf(nil, `{"access_token":%s,"expires_at":%d,"cache_key":%s%s}`,
		quote(a.text), expires, quote(cacheKey(known.client)), text))
	if !ok {
		i.had[a.text] = i.facts.era
		return true
	}
	if o.words == "nothing" {
		i.had[a.text] = i.facts.era
	}
	if w.holds(i, nil, &o); o.words != want && !i.facts.unsure {
		w.fail("set_token", "%s instead of %s", o.text, want)
	}
	return true
}

func (w *world) issue(text, client string, lifetime int64) *issued {
	t := &issued{client: client, expires: w.time + lifetime}
	w.tokens[text] = t
	return t
}

func (w *world) drop(a *action) bool {
	for n, b := range w.calls {
		if b.id == a.call {
			w.end(n)
			return true
		}
	}
	return false
}

// end moves a call to the ended ones, whose flows may still be resumed.
func (w *world) end(n int) {
	w.ended = append(w.ended, w.calls[n])
	w.calls = append(w.calls[:n:n], w.calls[n+1:]...)
	if len(w.ended) > 6 {
		w.ended = w.ended[1:]
	}
}

func (w *world) find(id int) (n int, b *branch) {
	for n, b := range w.calls {
		if b.id == id {
			return n, b
		}
	}
	for _, b := range w.ended {
		if b.id == id {
			return -1, b
		}
	}
	return -1, nil
}

func quote(text string) string { return string(gjson.AppendJSONString(nil, text)) }

func (i *instance) see(now int64) { i.latest = max(i.latest, now) }

func usable(now, asked int64) bool { return now >= 1793491200 && now >= asked-60 }

func cacheKey(client string) string {
	return "rostering:https%3A%2F%2Fauth.example%2F" + client + "%2Fconnect%2Ftoken:" + client + ":automatic-rostering-stage"
}

// host is one instance of the core.
type host struct {
	*memory.Host
	room int // for vars, in bytes; 0 without a limit
}

// lost is what a host panics with when a real one would end the call.
type lost struct{}

func newHost(config map[string]string) *host {
	h := &host{Host: memory.New(config)}
	h.Keeps = func(name string, value []byte) bool {
		if h.room > 0 && len(value) > 0 && h.SizeWith(name, value) > h.room {
			panic(lost{})
		}
		return true
	}
	return h
}

// configOf returns the config of a client.
func configOf(client, secret string) map[string]string {
	return map[string]string{
		"environment": "stage", "auth_url": "https://auth.example/" + client, "base_url": "https://" + client + ".example",
		"client_id": client, "client_secret": secret, "customer_id": "customer", "user_id": "user",
	}
}

func with(config map[string]string, key, value string) map[string]string {
	config = maps.Clone(config)
	config[key] = value
	return config
}
