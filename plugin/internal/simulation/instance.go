//go:build !tinygo

package simulation

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"automatic-rostering/plugin/internal/call"
)

// instance is one instance of the core, and the driver of its calls.
type instance struct {
	fleet *Fleet
	vars  map[string][]byte
	held  []byte
	dead  bool
}

var config = map[string]string{
	"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example",
	"client_id": "client", "client_secret": "a secret of some length", "customer_id": "c", "user_id": "u",
}

func (i *instance) Config(key string) string         { return config[key] }
func (i *instance) Var(name string) []byte           { return i.vars[name] }
func (i *instance) SetVar(name string, value []byte) { i.vars[name] = value }
func (i *instance) Now() int64                       { return 0 }
func (i *instance) Log(call.Level, string)           {}
func (i *instance) LogVar(name string) bool          { return i.vars[name] != nil }

func (i *instance) Words(name string) (first, second uint64, ok bool) {
	b := i.vars[name]
	if b == nil {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), true
}

func (i *instance) Hold(name string) bool {
	i.held = i.vars[name]
	return i.held != nil
}

// live makes a call, and the next one later.
func (i *instance) live() {
	f := i.fleet
	if i.dead {
		return
	}
	f.Calls++
	accepts := `["wait","store"]`
	if f.NoStore {
		accepts = `["wait"]`
	}
	made := &made{instance: i, began: f.time}
	made.take(call.Begin(i, fmt.Appendf(nil, `{"call":"list_jobs","accepts":%s,"input":{"now":%d}}`, accepts, i.now())))
	f.after(f.random.ExpFloat64()*f.Every, i.live)
}

func (i *instance) now() int64 { return start + int64(i.fleet.time) }

// made is a call under way.
type made struct {
	*instance
	began    float64
	ready    bool
	requests int // for a token
	flow     string
}

// Timings of the simulated surroundings, and the driver's time-out, in seconds.
const (
	serviceLatency = 0.02
	storeLatency   = 0.003
	tokenTimeout   = 20
)

// take does what a step wants, as a driver does.
func (m *made) take(step *call.Step) {
	f := m.fleet
	switch {
	case m.dead:
		return
	case step.Kind == call.Fail:
		f.Errors++
		m.isReady()
		return
	case step.Kind == call.GiveHeld:
		step.Output = m.held
	}
	s := gjson.ParseBytes(step.Output)
	m.flow = s.Get("flow").Raw
	switch s.Get("step").Str {
	case "request":
		if s.Get("for").Str == "token" {
			m.requestToken()
			return
		}
		m.isReady()
		token := strings.TrimPrefix(s.Get("request.headers.Authorization").Str, "Bearer ")
		f.after(serviceLatency, func() { m.serviceAnswers(token, s.Get("last").Bool()) })
	case "wait":
		f.after(s.Get("seconds").Num*f.between(1, 1.5), func() { m.resume("") })
	case "store":
		f.StoreOperations++
		op, key, value, ttl := s.Get("op").Str, s.Get("key").Str, s.Get("value").Str, s.Get("ttl").Num
		f.after(storeLatency*f.between(.5, 3), func() { m.resume(m.operate(op, key, value, ttl)) })
	}
}

func (m *made) isReady() {
	if !m.ready {
		m.ready = true
		m.fleet.Slowest = max(m.fleet.Slowest, m.fleet.time-m.began)
	}
}

// resume hands in the result of a step, as the members of resume's input.
func (m *made) resume(result string) {
	if !m.dead {
		m.take(call.Resume(m.instance, fmt.Appendf(nil, `{"flow":%s%s,"now":%d}`, m.flow, result, m.now())))
	}
}

func (m *made) serviceAnswers(token string, last bool) {
	switch ok := m.fleet.accepts(token); {
	case !ok:
		m.fleet.Unauthorized++
		m.resume(`,"status":401,"body":""`)
	case !last:
		m.resume(`,"status":200`)
	}
}

func (m *made) requestToken() {
	f := m.fleet
	f.TokenRequests++
	f.Requested = append(f.Requested, f.time)
	f.under++
	f.MostUnderWay = max(f.MostUnderWay, f.under)
	m.requests++
	if m.requests > 1 {
		panic("a call requested two tokens")
	}
	latency, answer := f.Latency*f.between(.8, 1.5), Answer{}
	if f.TokenEndpoint != nil {
		answer = f.TokenEndpoint(f.time)
	}
	if answer.Hangs || latency > tokenTimeout {
		f.after(tokenTimeout, func() { f.under--; m.resume(`,"failed":"timed out"`) })
		return
	}
	f.after(latency, func() {
		f.under--
		switch {
		case answer.Status == 0:
			m.resume(fmt.Sprintf(`,"status":200,"body":"{\"access_token\":\"%s\",\"token_type\":\"Bearer\",\"expires_in\":%d}"`,
				f.grant(), int(f.Lifetime)))
		case answer.RetryAfter > 0:
			m.resume(fmt.Sprintf(`,"status":%d,"headers":{"Retry-After":"%d"}`, answer.Status, answer.RetryAfter))
		default:
			m.resume(fmt.Sprintf(`,"status":%d`, answer.Status))
		}
	})
}

// operate does an operation of the store, and gives its result.
func (m *made) operate(op, key, value string, ttl float64) string {
	f := m.fleet
	if f.StoreDown != nil && f.StoreDown(f.time) {
		return `,"failed":"the store is down"`
	}
	found, there := f.store[key]
	there = there && f.time < found.expires
	switch {
	case op == "get" && there:
		return `,"value":` + string(gjson.AppendJSONString(nil, found.value))
	case op == "get":
		return `,"value":null`
	case op == "add" && there:
		return `,"added":false`
	}
	f.store[key] = entry{value, f.time + ttl}
	if op == "set" {
		return ""
	}
	f.holder = m.instance
	return `,"added":true`
}
