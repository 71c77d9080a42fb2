package input_test

import (
	"reflect"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/input"
)

func TestResume(t *testing.T) {
	resume := func(r input.Resume) input.Resume {
		r.Flow = []byte(`{"a":1}`)
		return r
	}
	response := func(given input.Given, r input.Response) input.Resume {
		r.Given = given
		return resume(input.Resume{Response: r})
	}
	for _, tt := range []struct {
		name, text string
		want       input.Resume
	}{
		{"a status", `"status":200`, response(input.GivenStatus, input.Response{Status: 200})},
		{"the largest one", `"status":999.0`, response(input.GivenStatus, input.Response{Status: 999})},
		{"no response, by status", `"status":0`, response(input.GivenStatus, input.Response{})},
		{"no response, by a reason", `"failed":"refused"`, response(input.GivenFailed, input.Response{Failed: "refused"})},
		{"no response, without a reason", `"failed":""`, response(input.GivenFailed, input.Response{})},
		{"all", `"status":1,"headers":{"retry-AFTER":"7","X":["a","b"]},"body":"b"`,
			response(input.GivenStatus|input.GivenHeaders|input.GivenBody, input.Response{Status: 1, RetryAfter: "7", Body: "b"})},
		{"nothing more, as after a wait", `"now":5`, resume(input.Resume{Clock: input.Clock{Now: 5, HasNow: true}})},
		{"a value", `"value":"v\n"`, resume(input.Resume{Value: "v\n", Response: input.Response{Given: input.GivenValue}})},
		{"no value", `"value":null`, resume(input.Resume{ValueNull: true, Response: input.Response{Given: input.GivenValue}})},
		{"a value that is not Unicode", `"value":"\ud83d"`, resume(input.Resume{Value: "\ufffd", Response: input.Response{Given: input.GivenValue}})},
		{"added", `"added":true`, resume(input.Resume{Added: true, Response: input.Response{Given: input.GivenAdded}})},
		{"not added", `"added":false`, resume(input.Resume{Response: input.Response{Given: input.GivenAdded}})},
		{"a list of headers", `"status":100,"headers":{"Retry-After":[ "8" , "9" ]}`,
			response(input.GivenStatus|input.GivenHeaders, input.Response{Status: 100, RetryAfter: "8"})},
		{"an empty list", `"status":100,"headers":{"Retry-After":[]}`, response(input.GivenStatus|input.GivenHeaders, input.Response{Status: 100})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := input.ParseResume([]byte(`{"flow":{"a":1},` + tt.text + `}`))
			if err != nil || !reflect.DeepEqual(got, &tt.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestExplain(t *testing.T) {
	three := `["a","b","` + strings.Repeat("c", input.MaxToken) + `"]`
	e, err := input.ParseExplain([]byte(`{"status":403,"body":"b","tokens":` + three + `}`))
	if err != nil || e.Status != 403 || e.Body != "b" || len(e.Tokens) != 3 {
		t.Errorf("got %d, %d tokens, %v", e.Status, len(e.Tokens), err)
	}
	for _, tt := range []struct{ name, text, key string }{
		{"nothing", ``, "status"},
		{"a body alone", `{"body":""}`, "status"},
		{"tokens alone", `{"tokens":["a"]}`, "status"},
		{"a result", `{"status":204}`, "status"},
		{"another result", `{"status":304}`, "status"},
		{"failed and a status", `{"status":500,"failed":""}`, "failed"},
		{"four tokens", `{"status":500,"tokens":["a","b","c","d"]}`, "tokens"},
		{"a token alone", `{"status":500,"tokens":"a"}`, "tokens"},
		{"an empty token", `{"status":500,"tokens":[""]}`, "tokens"},
		{"a number as a token", `{"status":500,"tokens":[1]}`, "tokens"},
		{"a time", `{"status":500,"now":1}`, "now"},
		{"a flow", `{"status":500,"flow":{}}`, "flow"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.ParseExplain([]byte(tt.text))
			checkError(t, err, tt.key)
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
		{"a status above 999", `{"flow":{},"status":1000}`, "status"},
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
		if check(err) && (r.Flow == nil || r.Status < 0 || r.Status > 999) {
			t.Errorf("got %+v", r)
		}
		e, err := input.ParseExplain(b)
		if check(err) && (e.Status/100 == 2 || len(e.Tokens) > 3) {
			t.Errorf("got %+v", e)
		}
		stored, ok := input.ParseStoredToken(string(b))
		token, err := input.ParseToken(b)
		if wantOK := err == nil && !token.HasNow; ok != wantOK || ok && *stored != *token {
			t.Errorf("out of a store: %+v, %v, want %+v, %v", stored, ok, token, wantOK)
		}
		if check(err) && (!input.AccessToken(token.AccessToken) || token.ExpiresAt <= 0 || token.CacheKey == "") {
			t.Errorf("got %+v", token)
		}
	})
}
