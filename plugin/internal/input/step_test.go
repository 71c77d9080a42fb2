package input_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/input"
)

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBegin(t *testing.T) {
	for name, want := range map[string]input.Export{
		"get_token": input.GetToken, "list_jobs": input.ListJobs, "send_request": input.SendRequest,
	} {
		got, err := input.ParseBegin([]byte(`{"input":{"now": 1},"call":"` + name + `"}`))
		if err != nil || got.Export != want || string(got.Input) != `{"now": 1}` || got.Export.String() != name {
			t.Errorf("%s: got %v %q, %v", name, got.Export, got.Input, err)
		}
		if got, err = input.ParseBegin([]byte(`{"call":"` + name + `"}`)); err != nil || got.Input != nil {
			t.Errorf("%s without an input: got %q, %v", name, got.Input, err)
		}
	}
}

func TestBeginIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, text, key string }{
		{"nothing", ``, "call"},
		{"no call", `{"input":{}}`, "call"},
		{"another call", `{"call":"set_token"}`, "call"},
		{"a call that is no text", `{"call":1}`, "call"},
		{"an input that is text", `{"call":"get_token","input":"{}"}`, "input"},
		{"an input that is null", `{"call":"get_token","input":null}`, "input"},
		{"now beside the input", `{"call":"get_token","now":1}`, "now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.ParseBegin([]byte(tt.text))
			checkFault(t, err, tt.key)
		})
	}
}

func TestResume(t *testing.T) {
	flow := []byte(`{"a":1}`)
	for _, tt := range []struct {
		name, text string
		want       input.Resume
	}{
		{"a status", `{"flow":{"a":1},"status":200}`, input.Resume{Flow: flow, Status: 200}},
		{"no answer, by status", `{"flow":{"a":1},"status":0}`, input.Resume{Flow: flow}},
		{"no answer, by a reason", `{"flow":{"a":1},"failed":"refused"}`, input.Resume{Flow: flow, Failed: "refused"}},
		{"no answer, without a reason", `{"flow":{"a":1},"failed":""}`, input.Resume{Flow: flow}},
		{"all", `{"flow":{"a":1},"status":599.0,"headers":{"retry-AFTER":"7","X":["a","b"]},"body":"b","now":5}`,
			input.Resume{Flow: flow, Status: 599, RetryAfter: "7", Body: "b", Clock: input.Clock{Now: 5, HasNow: true}}},
		{"a list of headers", `{"flow":{"a":1},"status":100,"headers":{"Retry-After":[ "8" , "9" ]}}`,
			input.Resume{Flow: flow, Status: 100, RetryAfter: "8"}},
		{"an empty list", `{"flow":{"a":1},"status":100,"headers":{"Retry-After":[]}}`, input.Resume{Flow: flow, Status: 100}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := input.ParseResume([]byte(tt.text))
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestResumeIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, text, key string }{
		{"nothing", ``, "flow"},
		{"no flow", `{"status":200}`, "flow"},
		{"a flow that is text", `{"flow":"{}","status":200}`, "flow"},
		{"no status", `{"flow":{},"headers":{},"body":""}`, "status"},
		{"nothing but the flow", `{"flow":{}}`, "status"},
		{"a status as text", `{"flow":{},"status":"200"}`, "status"},
		{"a status with a fraction", `{"flow":{},"status":200.5}`, "status"},
		{"a negative status", `{"flow":{},"status":-200}`, "status"},
		{"a status below 100", `{"flow":{},"status":99}`, "status"},
		{"a status above 599", `{"flow":{},"status":600}`, "status"},
		{"headers as a list", `{"flow":{},"status":200,"headers":[["a","b"]]}`, "headers"},
		{"a header that is a number", `{"flow":{},"status":200,"headers":{"a":1}}`, "headers"},
		{"a header that is a list of numbers", `{"flow":{},"status":200,"headers":{"a":["b",1]}}`, "headers"},
		{"a body that is an object", `{"flow":{},"status":200,"body":{}}`, "body"},
		{"a body that is null", `{"flow":{},"status":200,"body":null}`, "body"},
		{"failed and a status", `{"flow":{},"status":200,"failed":"x"}`, "failed"},
		{"failed and headers", `{"flow":{},"headers":{},"failed":"x"}`, "failed"},
		{"failed and a body", `{"flow":{},"body":"","failed":"x"}`, "failed"},
		{"failed that is true", `{"flow":{},"failed":true}`, "failed"},
		{"now as text", `{"flow":{},"status":200,"now":"1"}`, "now"},
		{"another field", `{"flow":{},"status":200,"step":"request"}`, "step"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.ParseResume([]byte(tt.text))
			checkFault(t, err, tt.key)
		})
	}
}

func TestTokenIsRead(t *testing.T) {
	got, err := input.ParseToken([]byte(`{"access_token":"a","token_type":"bearer","expires_at":18e2,"cache_key":"k","now":3}`))
	want := input.Token{AccessToken: "a", ExpiresAt: 1800, CacheKey: "k", Clock: input.Clock{Now: 3, HasNow: true}}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err = input.ParseToken([]byte(`{"access_token":"a","expires_at":1,"cache_key":"k"}`)); err != nil {
		t.Errorf("without token_type: %+v", err)
	}
}

func TestTokenIsRefused(t *testing.T) {
	whole := map[string]any{"access_token": "a", "token_type": "Bearer", "expires_at": 1, "cache_key": "k"}
	for _, tt := range []struct {
		name, key string
		value     any // nil takes the field away
	}{
		{"no access token", "access_token", nil},
		{"an empty one", "access_token", ""},
		{"one that splits a header", "access_token", "a\r\nX: y"},
		{"one that is too long", "access_token", strings.Repeat("a", input.MaxToken+1)},
		{"one that is no text", "access_token", 1},
		{"another type", "token_type", "mac"},
		{"a type that is no text", "token_type", []string{"Bearer"}},
		{"no expiry", "expires_at", nil},
		{"an expiry as text", "expires_at", "1800000000"},
		{"an expiry with a fraction", "expires_at", 1.5},
		{"an expiry before 1970", "expires_at", -1},
		{"an expiry of 0", "expires_at", 0},
		{"no cache key", "cache_key", nil},
		{"one that is no text", "cache_key", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			object := map[string]any{}
			for key, value := range whole {
				object[key] = value
			}
			object[tt.key] = tt.value
			if tt.value == nil {
				delete(object, tt.key)
			}
			_, err := input.ParseToken(marshal(t, object))
			checkFault(t, err, tt.key)
		})
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", " ", "{}"} {
		if err := input.Nothing([]byte(text)); err != nil {
			t.Errorf("%q: %+v", text, err)
		}
	}
	checkFault(t, input.Nothing([]byte(`{"now":1}`)), "now")
	checkFault(t, input.Nothing([]byte(`[]`)), "")
}

// FuzzStep hands anything to the readers of steps and tokens: they may refuse it, but
// not panic, and what they take is within its bounds.
func FuzzStep(f *testing.F) {
	for _, text := range []string{"", `{"flow":{},"status":200,"headers":{"a":["b"]},"body":"x","now":1}`,
		`{"call":"list_jobs","input":{}}`, `{"access_token":"a","expires_at":1,"cache_key":"k"}`, `{"flow":{},"status":1e2}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		check := func(err *apierror.Error) bool {
			if err != nil && (err.Code != apierror.InvalidInput || err.Message == "" || err.Retryable) {
				t.Errorf("got %+v", err)
			}
			return err == nil
		}
		_, err := input.ParseBegin(b)
		check(err)
		r, err := input.ParseResume(b)
		if check(err) && (r.Flow == nil || r.Status != 0 && (r.Status < 100 || r.Status > 599)) {
			t.Errorf("got %+v", r)
		}
		token, err := input.ParseToken(b)
		if check(err) && (!input.AccessToken(token.AccessToken) || token.ExpiresAt <= 0 || token.CacheKey == "") {
			t.Errorf("got %+v", token)
		}
	})
}
