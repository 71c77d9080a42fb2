package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// surroundings returns the result of a call's step from the store, the token endpoint or the
// service; ok is false for a 2xx that need not be passed.
func (w *world) surroundings(b *branch) (r *result, raw string, ok bool) {
	o := &b.attempt.last
	switch kindOf(o.words) {
	case "token":
		if w.down {
			return &result{fits: "token", status: 503, error: "error token_endpoint_unavailable"}, `,"status":503`, true
		}
		w.granted++
		r, raw = grant(w.grantName(w.granted), 3600)
		w.issue(r.token, b.attempt.client, 3600)
		return r, raw, true
	case "service":
		t := w.tokens[o.token]
		if w.refuses || t == nil || t.revoked || t.expires <= w.time {
			return &result{fits: "service", status: 401}, fmt.Sprintf(`,"status":401,"body":%s`, quote("no "+o.token)), true
		}
		return &result{fits: "service", status: 200}, `,"status":200`, !o.last
	case "wait":
		return &result{fits: "wait"}, "", true
	}
	if w.storeDown {
		return &result{fits: kindOf(o.words), failed: true}, `,"failed":"the store is down"`, true
	}
	r, raw = w.operate(o, b.attempt.client)
	return r, raw, true
}

// grantName returns the text of a token that the token endpoint grants. If there is little room
// for vars, a token needs a large part of it, as real ones do.
func (w *world) grantName(n int) string {
	text := fmt.Sprintf("TOKEN-%04d", n)
	if w.profile.room > 0 {
		text += strings.Repeat("p", 1000)
	}
	return text
}

// grant returns a response of the token endpoint with a token.
func grant(text string, lifetime int64) (*result, string) {
	body := fmt.Sprintf(`{"access_token":%s,"token_type":"Bearer","expires_in":%d}`, quote(text), lifetime)
	return &result{fits: "token", status: 200, token: text, lifetime: lifetime}, `,"status":200,"body":` + quote(body)
}

// operate carries out an operation on the store.
func (w *world) operate(o *output, client string) (*result, string) {
	found, there := w.store[o.key]
	there = there && float64(w.time) < found.expires
	switch {
	case o.op == "get" && there:
		return stored(found.value, client), `,"value":` + quote(found.value)
	case o.op == "get":
		return &result{fits: "get"}, `,"value":null`
	case o.op == "add" && there:
		return &result{fits: "add"}, `,"added":false`
	}
	w.store[o.key] = entry{o.value, float64(w.time + o.ttl)}
	if o.op == "set" {
		return &result{fits: "set"}, ""
	}
	return &result{fits: "add", added: true}, `,"added":true`
}

// adoptable are the codes that the lock may have.
var adoptable = []string{"token_endpoint_rejected", "token_endpoint_unavailable", "token_response_invalid", "network_error", "service_unauthorized"}

// stored reads a value from the store according to the contract.
func stored(value, client string) *result {
	r := &result{fits: "get"}
	v := gjson.Parse(value)
	state := v.Get("state").Str
	r.lock.state = "asking"
	switch {
	case !gjson.Valid(value) || !v.IsObject():
	case state == "refused":
	case state == "done":
		r.lock.state = "done"
	case state == "failed":
		code, until, failures := v.Get("code").Str, v.Get("until").Int(), v.Get("failures").Int()
		noStatus := v.Get("status").Int() == 0 && code != "network_error" && code != "token_response_invalid"
		if slices.Contains(adoptable, code) && until > 0 && failures > 0 && !noStatus {
			r.lock = lock{state: "failed", error: "error " + code, until: until, wait: v.Get("wait").Int(), failures: int(failures)}
		}
	case v.Get("cache_key").Str == cacheKey(client) && len(v.Map()) == 4 && visible(v.Get("access_token").Str) &&
		strings.EqualFold(v.Get("token_type").Str, "bearer") && v.Get("expires_at").Int() > 0:
		r.token, r.expires = v.Get("access_token").Str, v.Get("expires_at").Int()
	}
	return r
}

func visible(text string) bool {
	for _, b := range []byte(text) {
		if b <= ' ' || b > '~' {
			return false
		}
	}
	return text != ""
}
