package input_test

import (
	"reflect"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/input"
)

func TestResume(t *testing.T) {
	flow := []byte(`{"a":1}`)
	for _, tt := range []struct {
		name, text string
		want       input.Resume
	}{
		{"a status", `{"flow":{"a":1},"status":200}`, input.Resume{Flow: flow, Given: input.GivenStatus, Status: 200}},
		{"no response, by status", `{"flow":{"a":1},"status":0}`, input.Resume{Flow: flow, Given: input.GivenStatus}},
		{"no response, by a reason", `{"flow":{"a":1},"failed":"refused"}`, input.Resume{Flow: flow, Given: input.GivenFailed, Failed: "refused"}},
		{"no response, without a reason", `{"flow":{"a":1},"failed":""}`, input.Resume{Flow: flow, Given: input.GivenFailed}},
		{"all", `{"flow":{"a":1},"status":599.0,"headers":{"retry-AFTER":"7","X":["a","b"]},"body":"b","now":5}`,
			input.Resume{Flow: flow, Given: input.GivenStatus | input.GivenHeaders | input.GivenBody, Status: 599, RetryAfter: "7", Body: "b", Clock: input.Clock{Now: 5, HasNow: true}}},
		{"nothing more, as after a wait", `{"flow":{"a":1}}`, input.Resume{Flow: flow}},
		{"a value", `{"flow":{"a":1},"value":"v\n"}`, input.Resume{Flow: flow, Given: input.GivenValue, Value: "v\n"}},
		{"no value", `{"flow":{"a":1},"value":null}`, input.Resume{Flow: flow, Given: input.GivenValue, ValueNull: true}},
		{"a value that is not Unicode", `{"flow":{"a":1},"value":"\ud83d"}`, input.Resume{Flow: flow, Given: input.GivenValue, Value: "\ufffd"}},
		{"added", `{"flow":{"a":1},"added":true}`, input.Resume{Flow: flow, Given: input.GivenAdded, Added: true}},
		{"not added", `{"flow":{"a":1},"added":false}`, input.Resume{Flow: flow, Given: input.GivenAdded}},
		{"a list of headers", `{"flow":{"a":1},"status":100,"headers":{"Retry-After":[ "8" , "9" ]}}`,
			input.Resume{Flow: flow, Given: input.GivenStatus | input.GivenHeaders, Status: 100, RetryAfter: "8"}},
		{"an empty list", `{"flow":{"a":1},"status":100,"headers":{"Retry-After":[]}}`, input.Resume{Flow: flow, Given: input.GivenStatus | input.GivenHeaders, Status: 100}},
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
		{"a body without a status", `{"flow":{},"body":""}`, "status"},
		{"headers without a status", `{"flow":{},"headers":{}}`, "status"},
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
		{"failed and a value", `{"flow":{},"value":null,"failed":"x"}`, "failed"},
		{"failed and added", `{"flow":{},"failed":"x","added":false}`, "failed"},
		{"a value that is a number", `{"flow":{},"value":1}`, "value"},
		{"a value that is an object", `{"flow":{},"value":{}}`, "value"},
		{"a value and a status", `{"flow":{},"value":"v","status":200}`, "value"},
		{"a value and added", `{"flow":{},"value":"v","added":true}`, "value"},
		{"added as text", `{"flow":{},"added":"true"}`, "added"},
		{"added as null", `{"flow":{},"added":null}`, "added"},
		{"added and a body", `{"flow":{},"added":true,"body":""}`, "added"},
		{"a body with half a surrogate pair", `{"flow":{},"status":500,"body":"\udc00"}`, "body"},
		{"a body that is not UTF-8", "{\"flow\":{},\"status\":500,\"body\":\"\xff\"}", "body"},
		{"a reason that is not UTF-8", "{\"flow\":{},\"failed\":\"\xff\"}", "failed"},
		{"a header that is not UTF-8", "{\"flow\":{},\"status\":500,\"headers\":{\"a\":\"\xff\"}}", "headers"},
		{"a header's name that is not UTF-8", "{\"flow\":{},\"status\":500,\"headers\":{\"\xff\":\"a\"}}", "headers"},
		{"now as text", `{"flow":{},"status":200,"now":"1"}`, "now"},
		{"another field", `{"flow":{},"status":200,"step":"request"}`, "step"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.ParseResume([]byte(tt.text))
			checkError(t, err, tt.key)
		})
	}
}

// FuzzStep passes anything to the parsers of steps and tokens: they may reject it, but not
// panic, and what they accept is within the limits.
func FuzzStep(f *testing.F) {
	for _, text := range []string{"", `{"flow":{},"status":200,"headers":{"a":["b"]},"body":"x","now":1}`,
		`{"call":"list_jobs","input":{}}`, `{"access_token":"a","expires_at":1,"cache_key":"k"}`, `{"flow":{},"status":1e2}`,
		`{"flow":{},"value":null}`, `{"flow":{},"added":true}`, `{"call":"get_token","accepts":["wait","store"]}`,
		`{"access_token":"a","expires_at":1,"cache_key":"k","now":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		check := func(err *apierror.Error) bool {
			if err != nil && (err.Code != apierror.InvalidInput || err.Message == "" || err.Retryable) {
				t.Errorf("got %+v", err)
			}
			return err == nil
		}
		begin, err := input.ParseBegin(b)
		if check(err) {
			_, err = input.Parse(begin.Input, begin.Export, true)
			check(err)
		}
		r, err := input.ParseResume(b)
		if check(err) && (r.Flow == nil || r.Status != 0 && (r.Status < 100 || r.Status > 599)) {
			t.Errorf("got %+v", r)
		}
		stored, ok := input.ParseStoredToken(string(b))
		token, err := input.ParseToken(b)
		if wantOK := err == nil && !token.HasNow; ok != wantOK || ok && stored != token {
			t.Errorf("out of a store: %+v, %v, want %+v, %v", stored, ok, token, wantOK)
		}
		if check(err) && (!input.AccessToken(token.AccessToken) || token.ExpiresAt <= 0 || token.CacheKey == "") {
			t.Errorf("got %+v", token)
		}
	})
}
