package model

import (
	"fmt"
	"strings"

	"automatic-rostering/plugin/core/host"

	"github.com/tidwall/gjson"
)

func seconds(milliseconds int) string {
	return fmt.Sprintf("%d.%03d", milliseconds/1000, milliseconds%1000)
}

func quote(text string) string { return string(gjson.AppendJSONString(nil, text)) }

// readStep reads what the core returned, with its flow and the value that goes to the store.
func readStep(r host.Result) (s step, flow, stored string) {
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
			s.wait = value.Raw
		case "token":
			s.token, s.tokenExpires = value.Get("access_token").Str, value.Get("expires_at").Int()
		case "until":
			s.until = value.Int()
		case "flow":
			flow = value.Raw
		case "value":
			stored = value.Str
			if s.key == "lock" {
				s.lock = readLock(value.Str)
			} else {
				s.text, s.expires = gjson.Get(value.Str, "access_token").Str, gjson.Get(value.Str, "expires_at").Int()
				s.requested, s.series = gjson.Get(value.Str, "requested_at").Int(), gjson.Get(value.Str, "series").Int()
			}
		}
		return true
	})
	return s, flow, stored
}

func keyName(key string) string {
	if strings.Contains(key, ":lock:") {
		return "lock"
	}
	return "token"
}

// readLock reads a value of the lock.
func readLock(value string) lock {
	v := gjson.Parse(value)
	l := lock{state: v.Get("state").Str}
	if v.Get("code").Str == "service_unauthorized" {
		l.state = "unreadable" // that is nobody else's business
	}
	if l.state == "failed" {
		l.failure = failure{v.Get("code").Str, v.Get("status").Int()}
		l.until, l.wait, l.count = v.Get("until").Int(), v.Get("wait").Int(), int(v.Get("failures").Int())
	}
	return l
}

// String says in short what a step is, with times since the start.
func (s step) String() string {
	text := s.kind
	add := func(format string, args ...any) { text += " " + fmt.Sprintf(format, args...) }
	switch {
	case s.key == "token" && s.text != "":
		add("token %s %+d ttl %d", s.text, s.expires-start, s.ttl)
	case s.key == "lock" && s.kind != "get":
		add("lock %v ttl %d", s.lock, s.ttl)
	case s.kind == "error":
		add("%s %s %d retry %d", s.code, s.errorKey, s.status, s.retry)
	default:
		add("%s%s", s.key, s.wait)
	}
	if s.token != "" {
		add("| %s %+d until %+d", s.token, s.tokenExpires-start, s.until-start)
	}
	return text
}

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
