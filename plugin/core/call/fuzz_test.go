package call_test

import (
	"strings"
	"testing"
)

// FuzzDirect lets calls begin, wait, get responses and be abandoned in any order on one
// host. Whatever happens, each call sends its own ids, no token that has expired, at
// most one token request and two retries; and in the end calls succeed again.
func FuzzDirect(f *testing.F) {
	f.Add("aAA")
	f.Add("aAaAbAcABCC")
	f.Add("aAxaAbBbAAgG+aA!aAaAoaA")
	f.Add("aAA-aAaAbA0aAAaA=gA")
	f.Add("ab0AABaAcCf=A>aAA")
	f.Add("aAA!aAg0+hAA")
	f.Add("aAxaA-aaa=Aa>aaGA") // a newer token that has expired
	f.Add("g-aA1")             // the clock is lost during a get_token
	f.Add("aAxabBaCBBB")       // two tokens of other calls refused, and then its own
	f.Fuzz(func(t *testing.T, script string) {
		w := &crowd{world: newWorld(t), time: noon}
		if len(script) > 200 {
			return
		}
		for _, c := range script {
			w.act(c)
		}
		w.closed = false
		w.pass(7200)
		checkLater(w.world, len(script)%3)
	})
}

// crowd is a world with several calls under way.
type crowd struct {
	*world
	time  int64 // also while the host's clock is lost
	calls []*member
}

// act takes one letter of a script.
func (w *crowd) act(c rune) {
	switch {
	case 'a' <= c && c <= 'h': // a call begins
		w.start(int(c - 'a'))
	case 'A' <= c && c <= 'H': // one of the last calls gets a response
		w.pick(int(c - 'A')).proceed(200)
	case '0' <= c && c <= '9': // and with an error
		w.pick(int(c - '0')).proceed(503)
	case c == '!':
		for token := range w.expiry {
			w.revoked[token] = true
		}
	case c == 'x' || c == 'o': // the service refuses every token, or no longer does
		w.closed = c == 'x'
	case c == '-':
		w.Clock = 0
	case strings.ContainsRune("+=>", c):
		w.pass(map[rune]int64{'+': 1, '=': 60, '>': 3540}[c])
	}
}

func (w *crowd) pass(seconds int64) {
	w.time += seconds
	w.Clock = w.time
}

// pick returns the n-th of the calls that began last.
func (w *crowd) pick(n int) *member {
	if len(w.calls) == 0 {
		return &member{}
	}
	return w.calls[len(w.calls)-1-n%len(w.calls)]
}

// member is one of the calls.
type member struct {
	*made
	crowd       *crowd
	caller      int
	askedAt     int64  // 0 without a clock
	own         string // the token that it obtained
	asks, sends int
}

// start begins list_jobs for one of the callers, or get_token.
func (w *crowd) start(n int) {
	m := &member{crowd: w, caller: n}
	switch n {
	case 6:
		m.made = w.beginGetToken("")
	case 7:
		m.made = w.beginGetToken(`{"force":true}`)
	default:
		m.made = w.beginListJobs(callers[n].input)
	}
	w.calls = append(w.calls, m)
	m.look()
}

// proceed passes the response to the request under way, if there is one.
func (m *member) proceed(status int) {
	if m.made == nil || m.done() {
		return
	}
	w, request := m.crowd, m.request()
	turn := turn{request: request, status: status, body: "[]"}
	switch {
	case request != tokenRequest:
		if token := bearer(request); status == 200 && (w.closed || w.revoked[token]) {
			turn.status = 401
		}
	case status == 200:
		m.own = w.give(m.askedAt)
		turn = grants(m.own, 3600)
	}
	m.take(turn)
	m.look()
}

// look checks the step that a call has taken against the rules.
func (m *member) look() {
	if m.done() {
		if object := m.object(); object != nil {
			m.crowd.checkObject(object)
		}
		return
	}
	request := m.request()
	if request == tokenRequest {
		m.askedAt = m.Clock
		m.asks++
	} else {
		m.sends++
		want := jobsAs(callers[m.caller].customer, callers[m.caller].user, bearer(request), 200).request
		if request != want {
			m.t.Errorf("caller %d sends %s", m.caller, request)
		}
		if token := bearer(request); m.Clock != 0 && token != m.own && m.Clock >= m.crowd.expiry[token] {
			m.t.Errorf("%q, which expired at %d, is sent at %d", token, m.crowd.expiry[token], m.Clock)
		}
	}
	if m.asks > 1 || m.sends > 3 {
		m.t.Errorf("%d token requests and %d others", m.asks, m.sends)
	}
}
