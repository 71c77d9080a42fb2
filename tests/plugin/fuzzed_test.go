package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"automatic-rostering/tests/conformance/canary"
	"automatic-rostering/tests/conformance/contract"
	"automatic-rostering/tests/stubhost"
)

const (
	fuzzSecret  = "the-client's secret/+&%"
	fuzzToken   = "granted-token-0001"
	storedToken = "stored-token-0001"
	fuzzNow     = 1_800_000_000
	fuzzKey     = "rostering:https%3A%2F%2Fauth.example%2Fconnect%2Ftoken:client:automatic-rostering-stage"
)

// fuzzed is both built files. Their clock is not set: the time is now of the input, so that
// both return the same.
type fuzzed struct {
	t        *testing.T
	contract contract.Contract
	hosts    []*stubhost.Host
	// responses are those to the requests of a call, in their order; the last is that of all others.
	responses []response
	// secrets is what may not be in an error, a log line or a flow.
	secrets []string
}

// response is that to a request; lost is none at all, which is a trap.
type response struct {
	status int
	body   []byte
	lost   bool
}

var errLost = errors.New("no response")

// opened are the instances, which a process uses for all inputs.
var opened = sync.OnceValues(func() (*fuzzed, error) {
	schema, err := contract.Read(root)
	if err != nil {
		return nil, err
	}
	w := &fuzzed{contract: schema}
	for _, b := range builds {
		wasm, err := readFile(b.file)
		if err != nil {
			return nil, err
		}
		host, err := stubhost.New(context.Background(), wasm)
		if err != nil {
			return nil, err
		}
		w.hosts = append(w.hosts, host)
	}
	return w, nil
})

// newFuzzed returns the instances as if they were new.
func newFuzzed(t *testing.T) *fuzzed {
	w, err := opened()
	if err != nil {
		t.Fatal(err)
	}
	w.t, w.responses, w.secrets = t, nil, []string{fuzzSecret, fuzzToken, storedToken}
	for _, h := range w.hosts {
		h.Config = config()
		h.Clock = time.Unix(0, 0)
		clear(h.Vars)
	}
	return w
}

// ended is how a call ended.
type ended struct {
	output  []byte
	failure string
	lost    bool
	sent    []stubhost.Request
}

// call makes a call on both builds, and holds what they return to the contract. The only trap
// is that of a request without a response.
func (w *fuzzed) call(export, input string) ended {
	w.t.Helper()
	one, other := w.callOn(w.hosts[0], export, input), w.callOn(w.hosts[1], export, input)
	same := bytes.Equal(one.output, other.output) && one.failure == other.failure && one.lost == other.lost &&
		slices.EqualFunc(one.sent, other.sent, func(a, b stubhost.Request) bool { return a.Raw == b.Raw && bytes.Equal(a.Body, b.Body) }) &&
		slices.Equal(w.hosts[0].Logs, w.hosts[1].Logs) && maps.EqualFunc(w.hosts[0].Vars, w.hosts[1].Vars, bytes.Equal)
	if !same {
		w.t.Fatalf("%s %q: the builds differ: %q %s, %q %s", export, input, one.output, one.failure, other.output, other.failure)
	}
	return one
}

func (w *fuzzed) callOn(h *stubhost.Host, export, input string) (e ended) {
	w.t.Helper()
	longest := len(input)
	h.Respond = func(r stubhost.Request) (int, []byte, error) {
		w.checkRequest(r)
		response := w.responses[min(len(e.sent), len(w.responses)-1)]
		e.sent = append(e.sent, r)
		longest = max(longest, len(response.body))
		if response.lost {
			return 0, nil, errLost
		}
		return response.status, slices.Clone(response.body), nil
	}
	output, failure, err := h.Call(w.t.Context(), export, input)
	e.lost = errors.Is(err, errLost)
	if err != nil && !e.lost {
		w.t.Fatalf("%s %q traps: %v", export, input, err)
	}
	e.output, e.failure = slices.Clone(output), failure
	if err := w.contract.Returns(export, e.output, failure); !e.lost && err != nil {
		w.t.Fatalf("%q: %v", input, err)
	}
	w.checkHidden(failure)
	w.checkHidden(strings.Join(h.Logs, "\n"))
	// 1 MB, and the text in a few forms at the same time.
	if mostMemory = max(mostMemory, 1<<20+32*longest); int(h.Memory()) > mostMemory {
		w.t.Fatalf("%s with %d bytes uses %d bytes of memory", export, longest, h.Memory())
	}
	return e
}

// mostMemory is what any call so far was allowed, in bytes: memory does not shrink.
var mostMemory int

func (w *fuzzed) checkHidden(text string) {
	w.t.Helper()
	for _, secret := range w.secrets {
		if canary.Shows(text, secret) {
			w.t.Fatalf("%s shows %s", text, secret)
		}
	}
}

// checkRequest holds a request to where it may go, and to what cannot split a header.
func (w *fuzzed) checkRequest(r stubhost.Request) {
	w.t.Helper()
	token := r.URL == "https://auth.example/connect/token" && r.Method == "POST"
	if !token && !strings.HasPrefix(r.URL, "https://service.example/api/") {
		w.t.Fatalf("a request to %q", r.URL)
	}
	for name, value := range r.Headers {
		if strings.ContainsAny(name+value, "\r\n\x00") || name == "" {
			w.t.Fatalf("a header %q: %q", name, value)
		}
	}
	if token == (r.Headers["Authorization"] != "") {
		w.t.Fatalf("%s with Authorization %q", r.URL, r.Headers["Authorization"])
	}
}

// granted is the response of a token endpoint that works, and found that of the service.
var (
	granted = response{status: 200, body: []byte(`{"access_token":"` + fuzzToken + `","token_type":"Bearer","expires_in":3600}`)}
	found   = response{status: 200, body: []byte("the jobs")}
)

// works wants the instance to work, whatever came before: with a token or without one.
func (w *fuzzed) works() {
	w.t.Helper()
	w.call("clear_token", "")
	w.responses = []response{granted, found}
	if e := w.call("list_jobs", fmt.Sprintf(`{"now":%d}`, fuzzNow)); string(e.output) != "the jobs" || len(e.sent) != 2 {
		w.t.Fatalf("afterwards list_jobs returns %q %s, after %d requests", e.output, e.failure, len(e.sent))
	}
}

// fuzzedStep is what matters of a step.
type fuzzedStep struct {
	Step, Op, Key string
	Flow          json.RawMessage
	Seconds       float64
	Request       stubhost.Request
}

// readStep reads the step that a call returned, and holds its request to the rules.
func (w *fuzzed) readStep(e ended) (s fuzzedStep) {
	w.t.Helper()
	if e.failure != "" {
		return s
	}
	if err := json.Unmarshal(e.output, &s); err != nil {
		w.t.Fatalf("%s: %v", e.output, err)
	}
	if s.Step == "request" {
		w.checkRequest(s.Request)
	}
	w.checkHidden(string(s.Flow))
	return s
}

// inJSON encodes a text, which stands within a string.
func inJSON(text string) string {
	b, _ := json.Marshal(text)
	return string(b[1 : len(b)-1])
}

// withSecrets replaces @S by the secret, @T by the token and @K by the cache key, as they stand
// in JSON: so a fuzzer need not guess them.
var withSecrets = strings.NewReplacer("@S", inJSON(fuzzSecret), "@T", fuzzToken, "@K", inJSON(fuzzKey), "@P", storedToken)
