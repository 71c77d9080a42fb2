package plugin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"automatic-rostering/tests/runner/canary"
	"automatic-rostering/tests/runner/contract"
)

const (
	clientSecret = "the-client's secret/+&%"
	grantedToken = "granted-token-0001"
	storedToken  = "stored-token-0001"
	now          = 1_800_000_000
	cacheKey     = "rostering:https%3A%2F%2Fauth.example%2Fconnect%2Ftoken:client:automatic-rostering-stage"
	tokenURL     = "https://auth.example/connect/token"

	// longestInput is that of a target: longer ones are only slower.
	longestInput = 64 << 10
)

var (
	jobs     = []byte("the jobs")
	nowInput = fmt.Sprintf(`{"now":%d}`, now)
	errLost  = errors.New("no response")
)

func grant(token string) []byte {
	return fmt.Appendf(nil, `{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, token)
}

// response is what a request gets; if it is lost, the request traps.
type response struct {
	status int
	body   []byte
	lost   bool
}

// granted is the response of a token endpoint that works, and found that of the service.
var granted, found = response{status: 200, body: grant(grantedToken)}, response{status: 200, body: jobs}

// FuzzCalls calls an export with any input, with a token and without one, and responds to its requests with anything.
func FuzzCalls(f *testing.F) {
	for n, inputs := range [][]string{
		{``, `{"force":true,"now":1.8e9}`, `{"refused":"@T","now":1800000000}`},
		{``, `{"customer_id":null,"user_id":"a b","now":1800000000}`, `{"customer_id":"\ud83d"}`},
		{`{"path":"/a?b=%41","method":"POST","body":"\u20ac","headers":{"A":"b\tc"},"now":1800000000}`, `{"path":"/%2e%2e/"}`},
		{`{"accepts":["store"],"now":1800000000}`, `{"refused":"@T","used":true,"now":1800000000}`},
		{`{"flow":"5 154038231409057 1800000000 0 0 0 0 0 0 0 0 0 0 0 0 122518239841723","status":200,"body":"@S"}`, `{"flow":@F,"value":"@S"}`,
			`{"flow":@F,"value":"{\"access_token\":\"@P\",\"token_type\":\"Bearer\",\"expires_at\":1800003600,\"cache_key\":\"@K\"}"}`,
			`{"flow":@L,"value":"{\"state\":\"failed\",\"code\":\"@P\",\"status\":-1,\"until\":1e99,\"wait\":-5,\"failures\":0}"}`,
			`{"flow":@L,"value":"{\"state\":\"failed\",\"code\":\"token_endpoint_rejected\",\"until\":1800000060,\"wait\":60,\"failures\":3}"}`},
		{`{"access_token":"@P","expires_at":1800003600,"cache_key":"@K","now":1800000000}`},
		{` `, `{}`}, {"\n", `[]`}, {`{`, "\xff"},
		{`{"path":"/a?b","method":"PUT","body":true}`, `{"user_id":null}`},
		{`{"status":500,"body":"@S @T","headers":{"Retry-After":"5"},"tokens":["@T"]}`, `{"failed":"@S"}`},
		{``},
	} {
		for _, input := range inputs {
			f.Add(uint8(n), []byte(input), uint16(200), granted.body, uint16(200), jobs)
			f.Add(uint8(n+len(exports)), []byte(input), uint16(200), granted.body, uint16(200), jobs)
		}
	}
	for _, body := range []string{``, "\x00", `{}`, `{"access_token":"@T","token_type":"bEARER","expires_in":"99999"}`, `{"access_token":"a.b","expires_in":36e2}`,
		`{"error":"invalid_client @S","error_description":"@S @T"}`, `{"access_token":"\u0000"`, "\xff@S", strings.Repeat("[", 2000)} {
		for _, status := range []uint16{0, 200, 302, 401, 429, 500, 999} {
			f.Add(uint8(1), []byte(nil), status, []byte(body), uint16(200), jobs)
			f.Add(uint8(len(exports))+uint8(status%2), []byte(nil), uint16(200), granted.body, status, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, export uint8, input []byte, tokenStatus uint16, tokenBody []byte, status uint16, body []byte) {
		w := newFuzzed(t, input, tokenBody, body)
		read := func(status uint16, body []byte) response {
			return response{int(status) % 1000, []byte(withSecrets.Replace(string(body))), status/1000%8 == 7}
		}
		token, service, text := read(tokenStatus, tokenBody), read(status, body), withSecrets.Replace(string(input))
		w.secrets = []string{clientSecret} // a response may grant any token, and the input name one
		responses := []response{token, service, service}
		if int(export)/len(exports)%2 == 1 { // with a token that the service may refuse
			w.call("get_token", nowInput, granted)
			responses = []response{service, token, service}
			if text == "" {
				w.secrets = append(w.secrets, grantedToken)
			}
		}
		name := exports[int(export)%len(exports)]
		if strings.Contains(text, "@F") || strings.Contains(text, "@L") { // a flow that gets the token, or one that gets the lock
			var step struct{ Flow json.RawMessage }
			_ = json.Unmarshal(w.call("begin", `{"accepts":["store"],`+nowInput[1:], responses...).output, &step)
			text = strings.ReplaceAll(text, "@F", string(step.Flow))
			for _, result := range []string{`"value":null`, `"added":false`} {
				_ = json.Unmarshal(w.call("resume", fmt.Sprintf(`{"flow":%s,%s}`, step.Flow, result), responses...).output, &step)
			}
			text = strings.ReplaceAll(text, "@L", string(step.Flow))
		}
		text = cmp.Or(text, nowInput)
		e := w.call(name, text, responses...)
		if name == "list_jobs" && e.failure == "" && !e.lost && !bytes.Equal(e.output, service.body) {
			t.Fatalf("list_jobs returns %q, not %q", e.output, service.body)
		}
		w.secrets = w.secrets[:1]
		w.call(name, text, responses...) // within a backoff, or with the token that came
		w.works()
	})
}

// fuzzed is both built files. Their clock is not set: the time is now of the input, so that both return the same.
type fuzzed struct {
	t        *testing.T
	contract contract.Contract
	hosts    []*host
	// secrets is what may not be in an error, a log line or a flow.
	secrets []string
}

// opened are the instances, which a process uses for all inputs.
var opened = map[string]*host{}

// newFuzzed returns the instances as if they were new. It skips inputs that are too long.
func newFuzzed(t *testing.T, inputs ...[]byte) *fuzzed {
	if len(bytes.Join(inputs, nil)) > longestInput {
		t.Skip()
	}
	schema, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	w := &fuzzed{t: t, contract: schema, secrets: []string{clientSecret, grantedToken, storedToken}}
	for _, file := range slices.Sorted(maps.Keys(builds)) {
		if opened[file] == nil {
			if opened[file], err = newHost(context.Background(), read(t, file)); err != nil {
				t.Fatal(err)
			}
		}
		h := opened[file]
		h.Config, h.Clock = config(), time.Unix(0, 0)
		clear(h.Vars)
		w.hosts = append(w.hosts, h)
	}
	return w
}

var readContract = sync.OnceValues(func() (contract.Contract, error) { return contract.Read(root) })

// ended is how a call ended, and what it sent and logged.
type ended struct {
	output  []byte
	failure string
	lost    bool
	sent    []string
	logs    []byte
}

// call makes a call on both builds, and holds what they return to the contract. The last response is that to all further
// requests. The only trap is that of a request without a response.
func (w *fuzzed) call(export, input string, responses ...response) ended {
	w.t.Helper()
	one, other := w.callOn(w.hosts[0], export, input, responses), w.callOn(w.hosts[1], export, input, responses)
	if !reflect.DeepEqual(one, other) || !maps.EqualFunc(w.hosts[0].Vars, w.hosts[1].Vars, bytes.Equal) {
		w.t.Fatalf("%s %q: the builds differ:\n%+v\n%+v", export, input, one, other)
	}
	return one
}

func (w *fuzzed) callOn(h *host, export, input string, responses []response) (e ended) {
	w.t.Helper()
	longest := len(input)
	h.Respond = func(request, body []byte) (int, []byte, error) {
		w.wantAllowed(request)
		response := responses[min(len(e.sent), len(responses)-1)]
		e.sent = append(e.sent, string(request)+string(body))
		longest = max(longest, len(response.body))
		if response.lost {
			return 0, nil, errLost
		}
		return response.status, response.body, nil
	}
	output, failure, err := h.Call(w.t.Context(), export, input)
	if e.lost = errors.Is(err, errLost); err != nil && !e.lost {
		w.t.Fatalf("%s %q traps: %v", export, input, err)
	}
	e.output, e.failure, e.logs = bytes.Clone(output), failure, bytes.Join(h.Logs, []byte("\n"))
	if err := w.contract.Returns(export, e.output, failure); !e.lost && err != nil {
		w.t.Fatalf("%q: %v", input, err)
	}
	w.wantHidden(failure + string(e.logs))
	// 1 MB, and the text in a few forms at the same time.
	if mostMemory = max(mostMemory, 1<<20+32*longest); int(h.Memory()) > mostMemory {
		w.t.Fatalf("%s with %d bytes uses %d bytes of memory", export, longest, h.Memory())
	}
	return e
}

// mostMemory is what any call so far was allowed, in bytes: memory does not shrink.
var mostMemory int

func (w *fuzzed) wantHidden(text string) {
	w.t.Helper()
	for _, secret := range w.secrets {
		if canary.Shows(text, secret) {
			w.t.Fatalf("%s shows %s", text, secret)
		}
	}
}

// wantAllowed holds a request to where it may go, and to what cannot split a header.
func (w *fuzzed) wantAllowed(request []byte) {
	w.t.Helper()
	r := readRequest(request)
	token := r.URL == tokenURL && r.Method == "POST"
	if !token && !strings.HasPrefix(r.URL, "https://service.example/api/") || token == (r.Headers["Authorization"] != "") {
		w.t.Fatalf("a request with Authorization %q to %q", r.Headers["Authorization"], r.URL)
	}
	for name, value := range r.Headers {
		if strings.ContainsAny(name+value, "\r\n\x00") || name == "" {
			w.t.Fatalf("a header %q: %q", name, value)
		}
	}
}

// works wants the instance to work, whatever came before: with a token or without one.
func (w *fuzzed) works() {
	w.t.Helper()
	w.call("clear_token", "")
	if e := w.call("list_jobs", nowInput, granted, found); !bytes.Equal(e.output, jobs) || len(e.sent) != 2 {
		w.t.Fatalf("afterwards list_jobs returns %q %s, after %d requests", e.output, e.failure, len(e.sent))
	}
}

// inJSON encodes a text, which stands within a string.
func inJSON(text string) string {
	b, _ := json.Marshal(text)
	return string(b[1 : len(b)-1])
}

// withSecrets replaces @S by the secret, @T by the token and @K by the cache key, as they stand in JSON: so a fuzzer need not
// guess them.
var withSecrets = strings.NewReplacer("@S", inJSON(clientSecret), "@T", grantedToken, "@K", inJSON(cacheKey), "@P", storedToken)
