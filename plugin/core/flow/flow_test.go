package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/internal/memory"
	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/instance"

	"github.com/tidwall/gjson"
)

// The rules show what a host sees, the model what random sequences do. Here is what neither can: a flow
// that was forged, and a host that loses a token.

const noon = 1_800_000_000

// plugin is an instance, with what it returned last: a step or an error.
type plugin struct {
	*memory.Host
	t    testing.TB
	last gjson.Result
}

func newInstance(t testing.TB) *plugin {
	config := map[string]string{"environment": "stage", "auth_url": "https://auth.example",
		"client_id": "client", "client_secret": "s3cret-of-client"}
	return &plugin{Host: memory.New(config), t: t}
}

func (p *plugin) took(r host.Result) *plugin {
	p.last = gjson.ParseBytes(r.Text)
	explained := p.last.Get("code").Str != "" && p.last.Get("message").Str != ""
	if len(r.Text) > 0 && !gjson.ValidBytes(r.Text) || r.Kind == host.Error && !explained {
		p.t.Fatalf("it returned %s", r.Text)
	}
	return p
}

func (p *plugin) begin(more string) *plugin {
	return p.took(flow.Begin(p, fmt.Appendf(nil, `{"now":%d%s}`, noon, more)))
}

// resume resumes the flow of the last step with results, one after the other.
func (p *plugin) resume(results ...string) *plugin {
	for _, result := range results {
		p.resumeFlow(p.last.Get("flow").Raw, result)
	}
	return p
}

func (p *plugin) resumeFlow(text, result string) {
	p.took(flow.Resume(p, fmt.Appendf(nil, `{"now":%d,"flow":%s%s}`, noon, text, result)))
}

// Results of steps.
const (
	null       = `,"value":null`
	requesting = `,"value":"{\"state\":\"requesting\"}"`
	added      = `,"added":true`
	held       = `,"added":false`
	done       = ``
	granted    = `,"status":200,"body":"{\"access_token\":\"A\",\"token_type\":\"Bearer\",\"expires_in\":60}"`
	down       = `,"status":503`
)

const withStore = `,"accepts":["store"]`

// paths lead a flow with a store to each of its states, with a result for that.
var paths = [...][]string{{null}, {null, added}, {null, held, requesting}, {null, held, requesting, done},
	{null, added, down}, {null, added, granted, done}, {null, added, granted, done, done}}

// words returns the words of a flow, without its checksum.
func words(text string) []string {
	all := strings.Fields(text)
	return all[:len(all)-1]
}

// forge returns the flow of these words, with its checksum.
func forge(words []string) string {
	text := strings.Join(words, " ")
	return quote(fmt.Sprint(text, " ", instance.Hash(text)))
}

func quote(text string) string { return string(gjson.AppendJSONString(nil, text)) }

// A config that became invalid after a failure is an error, and nothing is sent with it.
func TestConfigThatBecomesInvalid(t *testing.T) {
	p := newInstance(t).begin("").resume(`,"status":401`)
	p.Settings["client_secret"] = "line\n"
	for second := range 3 {
		p.took(flow.Begin(p, fmt.Appendf(nil, `{"now":%d}`, noon+second)))
		if code := p.last.Get("code").Str; code != "config_invalid" {
			t.Errorf("after %d s: %s", second, p.last)
		}
	}
}

// A checksum can be forged, but a flow is in a state that waits for a result, and each number has a
// range: what is beyond has no meaning, or takes long.
func TestForgedFlowsAreInvalid(t *testing.T) {
	const store, asked = 9, 12
	p := newInstance(t).begin(withStore).resume(null)
	text := p.last.Get("flow").Str
	invalid := func(at int, number string) {
		forged := words(text)
		forged[at] = number
		if p.resumeFlow(forge(forged), added); p.last.Get("key").Str != "flow" {
			t.Errorf("number %d is %s: %s", at, number, p.last)
		}
	}
	for _, state := range []string{"0", "8", "9"} {
		invalid(0, state)
	}
	for at := 1; at < store; at++ {
		invalid(at, fmt.Sprint(1<<48+1))
	}
	for at := store; at < len(words(text)); at++ {
		invalid(at, "1001")
	}
	invalid(asked, "2") // it failed, but with no code
}

// FuzzFlow resumes with any flow, and with one of any numbers that has a checksum. It may fail, but not
// loop, and must leave an instance that gets a token.
func FuzzFlow(f *testing.F) {
	for _, path := range paths {
		last := len(path) - 1
		text := newInstance(f).begin(withStore).resume(path[:last]...).last.Get("flow").Str
		f.Add(text, path[last], int64(noon))
		f.Add(text, `,"failed":""`, int64(noon+5))
	}
	f.Fuzz(func(t *testing.T, text, result string, now int64) {
		for _, text := range []string{quote(text), forge(strings.Fields(text)), forge(words(text + " 0"))} {
			p := newInstance(t).begin("").resume(granted)
			p.took(flow.Resume(p, fmt.Appendf(nil, `{"now":%d,"flow":%s%s}`, now, text, result)))
			if state := instance.Decode(p.Vars[instance.Summary]); state.Clears != 0 {
				t.Errorf("%+v", state)
			}
			p.took(flow.ClearToken(p, nil))
			if p.begin("").resume(granted); p.last.Get("token.access_token").Str != "A" {
				t.Errorf("then %s", p.last)
			}
		}
	})
}

// A host that drops the new token without a word: that is a failure, and not written to the store.
func TestDroppedToken(t *testing.T) {
	p := newInstance(t).begin(withStore).resume(null, added)
	p.Keeps = func(name string, value []byte) bool {
		return name != instance.TokenObject || len(value) == 0
	}
	if p.resume(granted); !strings.Contains(p.last.Get("value").Str, "token_response_invalid") {
		t.Errorf("got %s", p.last)
	}
	p.took(flow.Status(p, nil))
	if p.last.Get("failed_token_requests").Int() != 1 {
		t.Errorf("it does not count: %s", p.last)
	}
}
