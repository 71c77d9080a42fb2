//go:build !tinygo

package model

import "fmt"

// requestJobs sends the request to the service.
func (m *made) requestJobs(o *output) {
	f := m.fleet
	m.isReady()
	token := o.token // o may be the kept step, which other calls change
	accepted := f.accepts(token)
	if f.expired(token) && m.punctual() {
		f.Expired++
	}
	if accepted && o.last { // however long it takes
		f.close(m)
		return
	}
	seconds, ok := f.takes(f.Service, serviceTimeout)
	if !accepted {
		f.Unauthorized++
		if m.refused == token {
			f.Dead++
		}
	}
	f.After(seconds, func() {
		switch {
		case !ok:
			m.resume(`,"failed":"timed out"`)
		case accepted:
			m.resume(`,"status":200`)
		default:
			m.refused = token
			m.resume(`,"status":401,"body":""`)
		}
	})
}

func (m *made) requestToken() {
	f := m.fleet
	if f.TokenRequests++; len(f.Requested) < 1000 {
		f.Requested = append(f.Requested, f.time)
	}
	f.under++
	m.under++
	f.MostUnderWay = max(f.MostUnderWay, f.under)
	m.requests++
	if m.requests > 1 || m.under > 1 {
		panic("a call requested two tokens, or two calls of an instance one each")
	}
	quietUntil := &f.quietUntil
	if f.NoStore {
		quietUntil = &m.quietUntil
	}
	if f.time < *quietUntil-tolerance {
		f.Early++
	}
	response := Response{}
	if f.TokenEndpoint != nil {
		response = f.TokenEndpoint(f.time)
	}
	seconds, ok := f.takes(f.Endpoint, tokenTimeout)
	if response.Hangs {
		seconds, ok = tokenTimeout, false
	}
	f.After(seconds, func() {
		f.under--
		m.under--
		if response.RetryAfter > 0 {
			*quietUntil = max(*quietUntil, f.time+float64(response.RetryAfter))
		}
		switch {
		case !ok:
			m.resume(`,"failed":"timed out"`)
		case response.Status == 0:
			_, raw := grant(f.grant(), int64(f.Lifetime))
			m.resume(raw)
		case response.RetryAfter > 0:
			m.resume(fmt.Sprintf(`,"status":%d,"headers":{"Retry-After":"%d"}`, response.Status, response.RetryAfter))
		default:
			m.resume(fmt.Sprintf(`,"status":%d`, response.Status))
		}
	})
}

func (m *made) useStore(o *output) {
	f := m.fleet
	f.StoreOperations++
	if second := int64(f.time); second != f.second {
		f.second, f.inSecond = second, 0
	}
	f.inSecond++
	f.PeakStore = max(f.PeakStore, f.inSecond)
	seconds, ok := f.takes(f.Store, storeTimeout)
	// It is done after half of its time: some operations are done whose results come too late.
	result := ""
	f.After(seconds/2, func() { result = m.operate(o) })
	f.After(seconds, func() {
		if !ok {
			result = `,"failed":"timed out"`
		}
		m.resume(result)
	})
}

// operate carries out an operation on the store, and returns its result.
func (m *made) operate(o *output) string {
	f := m.fleet
	if f.StoreDown != nil && f.StoreDown(f.time) {
		return `,"failed":"the store is down"`
	}
	found, there := f.store[o.key]
	there = there && f.time < found.expires
	switch {
	case o.op == "get" && there:
		return `,"value":` + quote(m.found(found.value))
	case o.op == "get":
		return `,"value":null`
	case o.op == "add" && there:
		return `,"added":false`
	}
	f.store[o.key] = entry{m.written(o.value), f.time + float64(o.ttl)}
	if o.op == "set" {
		return ""
	}
	f.holder = m.member
	return `,"added":true`
}
