package model

import (
	"fmt"
	"maps"
	"strings"

	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/oauth2"

	"github.com/tidwall/gjson"
)

// step has what is checked of the plugin's output.
type step struct {
	kind           string // request, get, add, set, wait, done, error or nothing
	key            string // token or lock
	ttl            int64
	wait           float64 // seconds
	token          string  // that calls use
	tokenExpires   int64
	until          int64
	code, errorKey string
	retryable      bool
	status, retry  int64
}

// result is the result of a step.
type result struct {
	failed     bool
	status     int64 // of the token endpoint
	retryAfter int64
	token      string // that it issued, or in the store
	expiresIn  int64
	expires    int64 // in the store, as the following
	requested  int64
	added      bool
	lockFailed bool // the lock shows a failure
}

func quote(text string) string { return string(gjson.AppendJSONString(nil, text)) }

// readStep reads what the core returned, with its flow and the value that goes to the store.
func readStep(r host.Result) (s step, resumed, stored string) {
	if r.Kind == host.Output && len(r.Text) == 0 {
		return step{kind: "nothing"}, "", ""
	}
	v := gjson.ParseBytes(r.Text)
	if r.Kind == host.Error {
		return step{kind: "error", code: v.Get("code").Str, errorKey: v.Get("key").Str, retryable: v.Get("retryable").Bool(), status: v.Get("status").Int(), retry: v.Get("retry_after").Int()}, "", ""
	}
	v.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "step":
			if s.kind == "" {
				s.kind = value.Str
			}
		case "op":
			s.kind = value.Str
		case "key":
			s.key = keyName(value.Str)
		case "ttl":
			s.ttl = value.Int()
		case "seconds":
			s.wait = value.Num
		case "token":
			s.token, s.tokenExpires = value.Get("access_token").Str, value.Get("expires_at").Int()
		case "until":
			s.until = value.Int()
		case "flow":
			resumed = value.Raw
		case "value":
			stored = value.Str
		}
		return true
	})
	return s, resumed, stored
}

func keyName(key string) string {
	if strings.Contains(key, ":lock:") {
		return "lock"
	}
	return "token"
}

// String says in short what a step is, with times since the start.
func (s step) String() string {
	text := strings.TrimSpace(s.kind + " " + s.key)
	switch s.kind {
	case "error":
		text += fmt.Sprintf(" %s %s %d retry %d", s.code, s.errorKey, s.status, s.retry)
	case "wait":
		text += fmt.Sprint(" ", s.wait)
	}
	if s.token != "" {
		text += fmt.Sprintf(" | %s %+d until %+d", s.token, s.tokenExpires-start, s.until-start)
	}
	return text
}

// status is what the export of that name shows.
type status struct {
	expires, renew, retry int64
	code                  string // of the backoff
}

// observe returns the status of an instance, without touching it.
func (w *world) observe(m *member) status {
	host := *m.Host
	host.Vars, host.Logged = maps.Clone(host.Vars), nil
	v := gjson.ParseBytes(flow.Status(&host, fmt.Appendf(nil, `{"now":%d}`, w.now)).Text)
	return status{v.Get("token_expires_at").Int(), v.Get("renew_at").Int(), v.Get("retry_at").Int(), v.Get("error.code").Str}
}

// held returns the token that a var has.
func (m *member) held(name string) string { return oauth2.AccessToken(m.Vars[name]) }

func config(client string) map[string]string {
	return map[string]string{
		"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example",
		"client_id": client, "client_secret": secret, "customer_id": "customer", "user_id": "user",
	}
}

func cacheKey(client string) string {
	return "rostering:https%3A%2F%2Fauth.example%2Fconnect%2Ftoken:" + client + ":automatic-rostering-stage"
}

func object(text string, expires int64, key string) string {
	return fmt.Sprintf(`{"access_token":%s,"token_type":"Bearer","expires_at":%d,"cache_key":%s}`, quote(text), expires, quote(key))
}
