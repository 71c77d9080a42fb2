package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"automatic-rostering/plugin/core/jobs"
)

// pick returns one of some values.
func pick[T any](w *direct, of ...T) T { return of[w.IntN(len(of))] }

// act makes up the action at hand. It returns a call, or none if only the surroundings change.
func (w *direct) act() (export, in string) {
	w.used = nil
	if w.IntN(3) == 0 {
		w.time += pick[int64](w, 1, 1, 1, 2, 3, 5, 31, 61, 700, 3545, 3600)
	}
	members := w.timeMember()
	switch n := w.IntN(100); {
	case n < 40:
		if w.IntN(4) == 0 {
			members = append(members, pick(w, `"customer_id":"another"`, `"user_id":null`, `"customer_id":"third","user_id":"u"`, `"customer_id":""`))
		}
		return "list_jobs", object(members)
	case n < 58:
		switch w.IntN(8) {
		case 0, 1:
			members = append(members, `"force":true`)
		case 2, 3:
			w.used = []string{w.token()}
			members = append(members, `"refused":`+quote(w.used[0]))
		}
		return "get_token", object(members)
	case n < 72:
		return "send_request", object(append(members, pick(w,
			`"path":"/a/b?c=d"`, `"path":"/a","method":"POST","body":"{\"a\":\"\\u20ac\"}","headers":{"Content-Type":"application/json"}`,
			`"path":"/a","method":"PUT","body":`+quote(strings.Repeat("b", w.IntN(20000))), `"path":"/../a"`, `"path":"/a","headers":{"Host":"x"}`)))
	case n < 79:
		return "set_token", w.tokenToSet(members)
	case n < 81:
		w.stale = false
		return "clear_token", ""
	case n < 84:
		return pick(w, "check", "version"), ""
	case n < 86:
		return pick(w, "list_jobs", "get_token", "send_request", "set_token", "clear_token", "check", "version"),
			pick(w, `[]`, `{"now":"1"}`, `{"unknown":1}`, `{`, "\xff", `{"now":1800000000,"now":1}`, `{"now":1800000000000}`)
	case n < 91:
		w.change()
		if w.IntN(3) > 0 {
			w.stale = false
			return "clear_token", ""
		}
	case n < 94:
		w.offset += pick[int64](w, 1, -1, -30, -100, -3600, 300, 3600, -100_000_000)
	case n < 97:
		for _, token := range w.tokens {
			w.revoked[token] = true
		}
	default:
		w.refuses = !w.refuses && w.IntN(2) == 0
	}
	return "", ""
}

// timeMember is now, unless the host's clock has to do.
func (w *direct) timeMember() []string {
	if w.IntN(10) == 0 || w.wasi && w.IntN(2) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(`"now":%d`, w.now())}
}

func object(members []string) string {
	if len(members) == 0 {
		return ""
	}
	return "{" + strings.Join(members, ",") + "}"
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// change changes the config.
func (w *direct) change() {
	w.configure(pick(w, "client-a", "client-b"))
	switch w.IntN(5) {
	case 0:
		w.Settings["client_id"] = ""
	case 1:
		w.Settings["auth_url"] = "http://auth.example"
	case 2:
		w.Settings["environment"] = "else"
	}
}

// token is one that there is, or was never.
func (w *direct) token() string {
	if len(w.tokens) == 0 || w.IntN(4) == 0 {
		return "TOKEN-none"
	}
	return w.tokens[len(w.tokens)-1-w.IntN(min(len(w.tokens), 4))]
}

func (w *direct) tokenToSet(members []string) string {
	token, client := w.token(), w.client
	if owner := w.owners[token]; owner != "" {
		client = owner
	} else {
		token = w.issue(w.IntN(1200))
	}
	key := fmt.Sprintf("rostering:%s:%s:automatic-rostering-stage", url.QueryEscape("https://auth.example/"+client+"/connect/token"), client)
	return object(append(members, `"access_token":`+quote(token), `"cache_key":`+quote(key),
		fmt.Sprintf(`"expires_at":%d`, w.now()+pick[int64](w, 3600, 3600, 100, 30, 1, 90000, -5))))
}

// issue makes up a token of the config's client, with so many bytes more than it needs.
func (w *direct) issue(more int) string {
	token := fmt.Sprintf("TOKEN-%04d", len(w.tokens)+1) + strings.Repeat("p", more)
	w.tokens = append(w.tokens, token)
	w.owners[token] = w.client
	return token
}

// passTime lets time pass during a request. It returns what the clock reads then, 0 if it is lost until the next call.
func (w *direct) passTime() (clock int64) {
	switch w.IntN(16) {
	case 0:
		w.time += pick[int64](w, 1, 5, 31, 61, 3600)
	case 1:
		return 0
	}
	return w.now()
}

// respond makes up the response to a request.
func (w *direct) respond(e *exchange) {
	s := w.read(e)
	fault := w.IntN(100) < w.faults
	if fault && w.IntN(6) == 0 {
		e.Lost = true
		return
	}
	secret := w.Settings["client_secret"]
	if token := s.token(); token != "" {
		w.used = append(w.used, token)
	}
	leak := fmt.Sprintf("%s %s %s %q", secret, url.QueryEscape(secret), quote(secret), w.used)
	switch asks := strings.HasSuffix(s.URL, "/connect/token"); {
	case !fault && asks:
		token := w.issue(pick(w, 0, 0, 900, 30_000))
		w.used = append(w.used, token)
		e.Status, e.Response = 200, fmt.Appendf(nil, `{"access_token":%q,"token_type":"Bearer","expires_in":%d}`, token, pick(w, 3600, 3600, 60, 90000))
	case !fault && (w.refuses || w.revoked[s.token()]):
		e.Status, e.Response = 401, []byte(leak)
	case !fault:
		e.Status, e.Response = 200, []byte(strings.Repeat("the jobs \xff\x00", w.IntN(40)))
	case asks:
		e.Status = pick(w, 0, 200, 200, 200, 200, 201, 302, 400, 401, 403, 408, 429, 500, 503, 700)
		e.Response = []byte(pick(w, "", "\x00", leak, `{"error":"invalid_client","error_description":`+quote(leak)+`}`, `{"error":"invalid_scope"}`,
			`{"access_token":"cut off`, `{"access_token":"","token_type":"Bearer"}`, `{"access_token":"TOKEN-\r\n","token_type":"Bearer"}`,
			`{"access_token":"TOKEN-mac","token_type":"mac"}`, `{"access_token":"TOKEN-0","token_type":"Bearer","expires_in":0}`,
			`[1]`, strings.Repeat("[", w.IntN(10_000)), strings.Repeat(" ", w.IntN(2)*(256<<10))+"{}"))
	default:
		e.Status = pick(w, 0, 200, 204, 302, 304, 400, 401, 401, 403, 404, 408, 418, 429, 500, 503, 700)
		e.Response = []byte(pick(w, "", "\x00", leak, `{"error":`+quote(leak)+`}`, "\xff\xfe"+leak))
		if w.IntN(20) == 0 {
			e.Response = append(bytes.Repeat([]byte("x"), jobs.MaxBody-w.IntN(80)), e.Response...)
		}
	}
	if len(e.Response) > 0 && w.IntN(8) == 0 && fault {
		e.Response = e.Response[:w.IntN(len(e.Response))] // the host cut it off
	}
}
