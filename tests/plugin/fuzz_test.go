package plugin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/pure"
	"automatic-rostering.example/rostering/tests/runner/canary"
	"automatic-rostering.example/rostering/tests/runner/contract"
	"automatic-rostering.example/rostering/tests/runner/play"
	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/world"
)

const (
	clientSecret = "the-client's secret/+&%"
	grantedToken = "granted-token-0001"
	cacheKey     = "rostering:https%3A%2F%2Fauth.example%2Fconnect%2Ftoken:client:automatic-rostering-stage"
	grant        = `{"access_token":"` + grantedToken + `","token_type":"Bearer","expires_in":3600}`
	jobs         = "the jobs"
	nowInput     = `{"now":1800000000}`

	longestInput = 64 << 10 // longer ones are only slower
	mostMemory   = 1<<20 + 32*longestInput
)

var config = map[string]string{
	"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example/api",
	"client_id": "client", "client_secret": clientSecret, "customer_id": "c", "user_id": "u",
}

// withSecrets replaces @S by the secret, @T by the token that is granted, @P by another one and @K by the cache key, as they stand
// in JSON: so a fuzzer need not guess them.
var withSecrets = strings.NewReplacer("@S", clientSecret, "@T", grantedToken, "@P", "stored-token-0001", "@K", cacheKey)

// response is what a request gets, or none.
func response(status uint16, body []byte) map[string]any {
	if status/1000%8 == 7 {
		return map[string]any{"failed": "no response"}
	}
	return map[string]any{"status": int(status) % 1000, "body": withSecrets.Replace(string(body))}
}

// FuzzCalls calls an export with any input, with a token and without one, and responds to its requests with anything. The built
// files must do what the core does, whose parsers have fuzz targets of their own; after a change of the core, make build first.
func FuzzCalls(f *testing.F) {
	for n, inputs := range [][]string{
		{``, `{"force":true,"now":1.8e9}`, `{"refused":"@T","now":1800000000}`},
		{``, `{"customer_id":null,"user_id":"a b","now":1800000000}`, `{"customer_id":"\ud83d"}`},
		{`{"path":"/a?b=%41","method":"POST","body":"\u20ac","headers":{"A":"b\tc"},"now":1800000000}`, `{"path":"/%2e%2e/"}`, `{"path":"a"}`},
		{`{"accepts":["store"],"now":1800000000}`, `{"refused":"@T","used":true,"now":1800000000}`},
		{`{"flow":"5 154038231409057 1800000000 0 0 0 0 0 0 0 0 0 0 0 0 122518239841723","status":200,"body":"@S"}`},
		{`{"access_token":"@P","expires_at":1800003600,"cache_key":"@K","now":1800000000}`},
		{` `, `{}`}, {"\n", `[]`}, {`{`, "\xff"},
		{`{"path":"/a?b","method":"PUT","body":true}`, `{"user_id":null}`},
		{`{"status":500,"body":"@S @T","headers":{"Retry-After":"5"},"tokens":["@T"]}`, `{"failed":"@S"}`},
		{``},
	} {
		for _, input := range inputs {
			f.Add(uint8(n), []byte(input), uint16(200), []byte(grant), uint16(200), []byte(jobs))
			f.Add(uint8(n+len(exports)), []byte(input), uint16(200), []byte(grant), uint16(200), []byte(jobs))
		}
	}
	for _, broken := range []string{
		`{`, `{}0`, `{"a`, `{"a":`, `{"a":{0`, `{"a":{}, `, `{"a":""\`, `{"a":"\`, `{"a":"\uX`, `{"a":tru`, `{"a":nul`, `{"a":0.0e0,`, "{\x0f",
		"{\"\xf7\":0}", `{"now":0,"now":0}`, `{"flow":{}}`, `[{[[[[]]{}}}}}]{`, `{"access_token":"","":0}`,
	} {
		for n := range exports {
			f.Add(uint8(n), []byte(broken), uint16(200), []byte(broken), uint16(401), []byte(broken))
		}
	}
	for _, body := range []string{``, "\x00", `{}`, `{"access_token":"@T","token_type":"bEARER","expires_in":"99999"}`, `{"access_token":"a.b","expires_in":36e2}`,
		`{"error":"invalid_client @S","error_description":"@S @T"}`, `{"access_token":"\u0000"`, "\xff@S\\", strings.Repeat("[", 2000)} {
		for _, status := range []uint16{0, 200, 302, 401, 429, 500, 999, 7000} {
			f.Add(uint8(1), []byte(nil), status, []byte(body), uint16(200), []byte(jobs))
			f.Add(uint8(len(exports))+uint8(status%2), []byte(nil), uint16(200), []byte(grant), status, []byte(body))
		}
	}
	schema, err := contract.Read(root)
	if err != nil {
		f.Fatal(err)
	}
	var built []*host // for all inputs of a process
	for _, file := range builds {
		built = append(built, newHost(f, file))
	}
	withoutExtism, err := play.NewBuilt(context.Background(), filepath.Join(root, coreBuild))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, export uint8, input []byte, tokenStatus uint16, tokenBody []byte, status uint16, body []byte) {
		if len(input)+len(tokenBody)+len(body) > longestInput {
			t.Skip()
		}
		var core play.Core
		core.Open(config)
		for _, h := range built {
			h.open(config)
		}
		withoutExtism.Open(config)
		// call makes a call. The last response is that to all further requests.
		call := func(name, input string, responses ...map[string]any) protocol.Response {
			t.Helper()
			var sent []world.HTTP
			exchange := func(r *world.HTTP) map[string]any {
				sent = append(sent, *r)
				return responses[min(len(sent), len(responses))-1]
			}
			shown := func(r protocol.Response, logs []protocol.Log, vars map[string][]byte) string {
				all := fmt.Sprintf("%q, error %s, trap %q, sent %q, logged %q, vars %q", r.Output, r.Error, r.Text, sent, logs, vars)
				sent = nil
				return all
			}
			core.Exchange = exchange
			result := core.Call(name, []byte(input))
			want := shown(result, core.Logs(""), core.Instance.Vars)
			for i, h := range built {
				h.exchange = exchange
				if got := shown(h.call(name, []byte(input)), h.logs, h.vars); got != want {
					t.Fatalf("%s %q on %s:\n%s, not\n%s", name, input, builds[i], got, want)
				}
				if size := h.instance.Memory().Size(); size > mostMemory {
					t.Fatalf("%s uses %d bytes of memory", name, size)
				}
			}
			if err := schema.Returns(name, result.Output, result.Error); result.Text == "" && err != nil {
				t.Fatalf("%q: %v", input, err)
			}
			if text := fmt.Sprint(result.Error, core.Logs("")); canary.Shows(text, clientSecret) {
				t.Fatalf("the secret is in %s", text)
			}
			return result
		}
		token, service := response(tokenStatus, tokenBody), response(status, body)
		granted, found := response(200, []byte(grant)), response(200, []byte(jobs))
		responses := []map[string]any{token, service, service}
		if int(export)/len(exports)%2 == 1 { // with a token that the service may refuse
			call("get_token", nowInput, granted)
			responses = []map[string]any{service, token, service}
		}
		name, text := exports[int(export)%len(exports)], cmp.Or(withSecrets.Replace(string(input)), nowInput)
		call(name, text, responses...)
		call(name, text, responses...) // within a backoff, or with the token that came
		if state := withoutExtism.State; !isDirect(name) {
			want := pure.Call(pure.Named(name), state, []byte(text))
			got := withoutExtism.Call(name, []byte(text))
			same := bytes.Equal(withoutExtism.State, want.State) && got.Error+string(got.Output) == string(want.Output)
			if !same || got.Text != "" || (got.Error != "") != want.Failed {
				t.Fatalf("%s %q on %s: %+v, not %q", name, text, coreBuild, got, want.Output)
			}
			if withoutExtism.Size() > mostMemory {
				t.Fatalf("%s uses %d bytes of memory", name, withoutExtism.Size())
			}
		}
		call("clear_token", "")
		if a := call("list_jobs", nowInput, granted, found); string(a.Output) != jobs {
			t.Fatalf("afterwards list_jobs returns %+v", a)
		}
	})
}
