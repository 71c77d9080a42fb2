package input_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/url"
	"path"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/input"
)

// FuzzInput compares Parse with a slow and simple reading by encoding/json.
func FuzzInput(f *testing.F) {
	for _, text := range []string{"", " \t\r\n", "{}", "[]", "1", "null", "force", "{", "{} {}", "{}x", "{}\x00", "\x00", "\ufeff{}", "\u00a0",
		` { "force" :\n true } `, `{"force":false}`, `{"force":true,}`, `{'force':true}`, `{force:true}`, `{"force":"true"}`, `{"force":null}`,
		`{"froce":true}`, `{"Force":true}`, `{"":true}`, `{"force":true,"\u0066orce":false}`, `{"now":1.8e9,"force":false}`,
		`{"customer_id":null,"user_id":"a b"}`, `{"customer_id":"\u0041!\"\\\/~"}`, `{"user_id":null,"user_id":"u"}`,
		`{"customer_id":""}`, `{"user_id":" a"}`, `{"user_id":"a "}`, `{"user_id":"a\r\nX: y"}`, `{"user_id":"a\tb"}`, `{"user_id":"é"}`,
		`{"customer_id":"\ud83d"}`, `{"customer_id":12}`, `{"customer_id":["c"]}`,
		`{"customer_id":"` + strings.Repeat("c", 256) + `"}`, `{"customer_id":"` + strings.Repeat("c", 257) + `"}`,
		`{"now":-1}`, `{"now":-0.5}`, `{"now":0.9}`, `{"now":18000000005e-1}`, `{"now":1e-400}`, `{"now":1e400}`, `{"now":-1e400}`,
		`{"now":253402300799.9}`, `{"now":253402300800}`, `{"now":"1"}`, `{"now":null}`, `{"now":1}{}`, `{"user_id":{"now":[1]}}`, `{"now":1,"now":1}`,
		`{"refused":"a.b","used":true,"now":1}`, `{"refused":"a b"}`, `{"refused":""}`, `{"refused":["a"]}`, `{"force":true,"refused":"a"}`, `{"used":true}`,
		`{"refused":"` + strings.Repeat("a", 32<<10) + `"}`, `{"refused":"` + strings.Repeat("a", 32<<10+1) + `"}`} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, jobs bool) {
		fields, allowed := input.GetToken, []string{"force", "refused", "used", "now"}
		if jobs {
			fields, allowed = input.ListJobs, []string{"now", "customer_id", "user_id"}
		}
		in, err := input.Parse(b, fields)
		if err != nil && (err.Code != apierror.InvalidInput || err.Message == "" || err.Retryable) {
			t.Fatalf("got %+v", err)
		}
		if !utf8.Valid(b) || bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) > 64 {
			return // encoding/json replaces invalid UTF-8, and allows deeper nesting
		}
		want, ok := slowly(b, allowed)
		if jobs {
			want.Own = input.Own{Method: "GET", Path: "/jobs"}
		}
		if (err == nil) != ok {
			t.Fatalf("%q: got %+v, %+v; read slowly: %+v, %v", b, in, err, want, ok)
		}
		if ok && !reflect.DeepEqual(in, &want) {
			t.Errorf("%q: got %+v; read slowly: %+v", b, in, want)
		}
	})
}

// slowly reads an input as the contract describes it.
func slowly(b []byte, allowed []string) (in input.Input, ok bool) {
	if len(bytes.Trim(b, " \t\r\n")) == 0 {
		return in, true
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if first, err := d.Token(); err != nil || first != json.Delim('{') || !json.Valid(b) {
		return in, false
	}
	for d.More() {
		name, _ := d.Token()
		var value any
		if d.Decode(&value) != nil {
			return in, false
		}
		rest := remove(allowed, name.(string))
		if len(rest) == len(allowed) || !set(&in, name.(string), value) {
			return in, false
		}
		allowed = rest // no field is allowed twice
	}
	return in, in.Refused != "" && !in.Force || in.Refused == "" && !in.Used
}

func remove(names []string, name string) (rest []string) {
	for _, n := range names {
		if n != name {
			rest = append(rest, n)
		}
	}
	return rest
}

func set(in *input.Input, name string, value any) (ok bool) {
	switch name {
	case "force":
		in.Force, ok = value.(bool)
		return ok
	case "used":
		in.Used, ok = value.(bool)
		return ok
	case "refused":
		in.Refused, ok = value.(string)
		return ok && input.AccessToken(in.Refused)
	case "now":
		number, ok := value.(json.Number)
		in.HasNow = true
		in.Now = seconds(number)
		return ok && in.Now <= clock.Latest
	case "customer_id":
		return setID(&in.Customer, value)
	default:
		return setID(&in.User, value)
	}
}

func setID(id *input.ID, value any) (ok bool) {
	if value == nil {
		id.Omitted = true
		return true
	}
	id.Text, ok = value.(string)
	return ok && id.Text != "" && input.ValidID(id.Text)
}

// seconds returns a number without its fraction: 0 if it is negative, and the second after the
// year 9999 if it is later.
func seconds(number json.Number) int64 {
	const precision = 4096 // bits, more than a fuzzer's digits need
	digits, exponent, _ := strings.Cut(strings.ToLower(string(number)), "e")
	sign := exponent[:len(exponent)-len(strings.TrimLeft(exponent, "+-"))]
	exponent = "0" + strings.TrimLeft(exponent, "+-0")
	exponent = exponent[:min(6, len(exponent))] // math/big takes no longer ones
	x, _, err := big.ParseFloat(digits+"e"+sign+exponent, 10, precision, big.ToZero)
	if err != nil || x.Sign() < 0 {
		return 0
	}
	n, _ := x.Int64() // at most math.MaxInt64
	return min(n, clock.Latest+1)
}

// FuzzRequest searches for an input whose request leaves its base URL, or overrides or splits
// a header.
func FuzzRequest(f *testing.F) {
	for _, path := range []string{"/jobs/1?a=b", "//h", "/../a", "/%2e%2e/", `/\h`, "/a%2f..%2fb", "/a;/..;/b", "/.%2E?", "/%252e%252e/"} {
		f.Add(path, "X-A", "b")
	}
	f.Add("/", "customer-ID", "c")
	f.Add("/", "A\r\nB", "c\r\nd")
	const base = "https://api.example/v1"
	f.Fuzz(func(t *testing.T, given, name, value string) {
		text, _ := json.Marshal(map[string]any{"path": given, "headers": map[string]string{name: value}})
		in, err := input.Parse(text, input.SendRequest)
		if err != nil {
			return
		}
		u, parseErr := url.Parse(base + in.Own.Path)
		if parseErr != nil {
			t.Fatalf("%q: %v", in.Own.Path, parseErr)
		}
		if u.Scheme != "https" || u.Host != "api.example" || u.User != nil || u.Fragment != "" {
			t.Errorf("%q leads to %s", given, u)
		}
		// Clients may clean the path before or after they decode it.
		for _, p := range []string{u.EscapedPath(), u.Path, strings.ReplaceAll(u.Path, `\`, "/")} {
			if !strings.HasPrefix(path.Clean(p)+"/", "/v1/") || strings.Contains(p, "//") {
				t.Errorf("%q leaves the base URL as %q", given, p)
			}
		}
		for _, h := range in.Own.Headers {
			folded := strings.ReplaceAll(ascii.Lower(h.Name), "_", "-")
			for _, own := range strings.Fields(input.ForbiddenHeaders) {
				if folded == own {
					t.Errorf("the header %q passed", h.Name)
				}
			}
			if strings.ContainsAny(h.Name+h.Value, "\r\n\x00") || strings.ContainsAny(h.Name, ": \t") {
				t.Errorf("the header %q: %q passed", h.Name, h.Value)
			}
		}
	})
}

// FuzzStep passes anything to the parsers of steps and tokens: they may reject it, but not
// panic, and what they accept is within the limits.
func FuzzStep(f *testing.F) {
	for _, text := range []string{"", `{"flow":{},"status":200,"headers":{"a":["b"]},"body":"x","now":1}`, `{"flow":{},"status":1e2}`,
		`{"flow":{},"value":null}`, `{"flow":{},"added":true}`, `{"accepts":["store"],"refused":"a","used":true}`,
		`{"status":401,"tokens":["a"],"body":"x"}`, `{"path":"/a","method":"POST","body":true}`,
		`{"access_token":"a","expires_at":1,"cache_key":"k"}`, `{"access_token":"a","expires_at":1,"cache_key":"k","now":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		check := func(err *apierror.Error) bool {
			if err != nil && (err.Code != apierror.InvalidInput || err.Message == "" || err.Retryable) {
				t.Errorf("got %+v", err)
			}
			return err == nil
		}
		in, err := input.Parse(b, input.Begin)
		if check(err) && in.Used && in.Refused == "" {
			t.Errorf("got %+v", in)
		}
		_, err = input.Parse(b, input.Request)
		check(err)
		r, err := input.ParseResume(b)
		if check(err) && (r.Flow == "" || r.Status < 0 || r.Status > 999) {
			t.Errorf("got %+v", r)
		}
		e, err := input.ParseExplain(b)
		if check(err) && (e.Status/100 == 2 || len(e.Tokens) > 3) {
			t.Errorf("got %+v", e)
		}
		stored, ok := input.ParseStoredToken(string(b))
		token, err := input.ParseToken(b)
		if ok && err == nil && *stored != *token || ok && (stored.RequestedAt < 0 || stored.Patience < 0 || !utf8.Valid(b)) {
			t.Errorf("out of a store: %+v, by set_token %+v", stored, token)
		}
		if check(err) && (!input.AccessToken(token.AccessToken) || token.ExpiresAt <= 0 || token.CacheKey == "") {
			t.Errorf("got %+v", token)
		}
	})
}
