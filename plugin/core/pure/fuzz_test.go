package pure_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/pure"
)

var exports = []string{
	"configure", "begin", "resume", "request", "explain", "status", "set_token", "clear_token", "check",
	"version",
}

const (
	configInput = `{"environment":"stage","auth_url":"https://login.example",
		"base_url":"https://service.example","client_id":"c","client_secret":"the-secret",
		"customer_id":"c","user_id":"u"}`
	grant      = `{"access_token":"granted-token","token_type":"Bearer","expires_in":3600}`
	mostSteps  = 200
	now        = 1_800_000_000
	beginInput = `{"accepts":["store","wait"],"now":1800000000}`
)

// plugin is an instance of the core as a host has it.
type plugin struct {
	t     testing.TB
	state []byte
}

// call calls an export, and wants an output that is JSON, or an error with a code and a message.
func (p *plugin) call(export, input string) (output map[string]any, ok bool) {
	r := pure.Call(pure.Named(export), p.state, []byte(input))
	p.state = r.State
	if len(r.Output) == 0 && !r.Failed {
		return nil, true
	}
	if err := json.Unmarshal(r.Output, &output); err != nil {
		p.t.Fatalf("%s %s returns %q", export, input, r.Output)
	}
	if r.Failed && (output["code"] == nil || output["message"] == nil) {
		p.t.Fatalf("%s %s fails with %s", export, input, r.Output)
	}
	return output, !r.Failed
}

// flow carries a flow out. Its end is not wanted, only that it has one.
func (p *plugin) flow(begin string, results map[string]string) {
	step, ok := p.call("begin", begin)
	for n := 0; ok && step["step"] != "done"; n++ {
		if n > mostSteps {
			p.t.Fatalf("a flow has more than %d steps", mostSteps)
		}
		op, _ := step["op"].(string)
		name, _ := step["step"].(string)
		input := fmt.Sprintf(`{"now":%d,"flow":%q%s}`, now+n, step["flow"], results[name+op])
		step, ok = p.call("resume", input)
	}
}

var whole = map[string]string{
	"request": `,"status":200,"body":` + fmt.Sprintf("%q", grant), "storeget": `,"value":null`,
	"storeadd": `,"added":true`, "storeset": "", "wait": "",
}

// start returns an instance with a token, one before it, and a backoff.
func start(t testing.TB) *plugin {
	p := &plugin{t: t}
	p.call("configure", configInput)
	p.flow(beginInput, whole)
	p.flow(`{"force":true,"now":1800000001}`, whole)
	p.flow(`{"force":true,"now":1800000002}`, map[string]string{"request": `,"status":503,"body":""`})
	return p
}

// FuzzState passes states that the plugin did not return: any bytes, and a real one of which one
// entry or one number is another.
func FuzzState(f *testing.F) {
	names := append([]string{instance.Summary, ".auth_url", ""}, instance.All[:]...)
	real := start(f).state
	for n := range names {
		for _, value := range []string{"", "x", "{}", grant, strings.Repeat("\xff", 200)} {
			f.Add(uint8(n), []byte(value), uint16(0), int64(0))
		}
	}
	for at := range uint16(40) {
		for _, n := range []int64{-1, 1, now, 1 << 62, -1 << 63} {
			f.Add(uint8(0), []byte(nil), at, n)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, value []byte, word uint16, n int64) {
		name := names[int(which)%len(names)]
		states := [][]byte{value, with(real, name, value)}
		for _, name := range names {
			entry := slices.Clone(find(real, name))
			if at := int(word) * 8; at+8 <= len(entry) {
				binary.LittleEndian.PutUint64(entry[at:], uint64(n))
				states = append(states, with(real, name, entry))
			}
		}
		for _, state := range states {
			for _, input := range []string{"", beginInput, `{"now":1800000000}`, `{"force":true,"now":1800000000}`} {
				for _, export := range exports {
					p := plugin{t, state}
					p.call(export, input)
				}
			}
			for _, status := range [...]int{200, 503} {
				p := plugin{t, state}
				results := maps.Clone(whole)
				results["request"] = fmt.Sprintf(`,"status":%d,"body":%q`, status, grant)
				p.flow(beginInput, results)
				p.call("status", `{"now":1800000000}`)
				p.call("clear_token", "")
				if p.call("configure", configInput); len(state) > 0 {
					p.call("check", "")
				}
			}
		}
	})
}

// entries calls f with each entry of a state.
func entries(state []byte, f func(name string, value []byte)) {
	for len(state) > 0 {
		name, value := binary.LittleEndian.Uint32(state), binary.LittleEndian.Uint32(state[4:])
		f(string(state[8:8+name]), state[8+name:8+name+value])
		state = state[8+name+value:]
	}
}

func find(state []byte, name string) (found []byte) {
	entries(state, func(other string, value []byte) {
		if other == name {
			found = value
		}
	})
	return found
}

// with replaces an entry.
func with(state []byte, name string, value []byte) (changed []byte) {
	add := func(name string, value []byte) {
		changed = binary.LittleEndian.AppendUint32(changed, uint32(len(name)))
		changed = binary.LittleEndian.AppendUint32(changed, uint32(len(value)))
		changed = append(append(changed, name...), value...)
	}
	entries(state, func(other string, value []byte) {
		if other != name {
			add(other, value)
		}
	})
	add(name, value)
	return changed
}

// A state is a value: a call does not change the one that it is passed.
func TestStateIsAValue(t *testing.T) {
	p := start(t)
	before := slices.Clone(p.state)
	first := pure.Call(flow.Begin, p.state, []byte(beginInput))
	second := pure.Call(flow.ClearToken, p.state, nil)
	if !slices.Equal(p.state, before) || slices.Equal(second.State, before) {
		t.Error("a call changed the state that it was passed, or returned it")
	}
	if again := pure.Call(flow.Begin, before, []byte(beginInput)); !slices.Equal(again.Output, first.Output) {
		t.Errorf("the same call returns %s, then %s", first.Output, again.Output)
	}
}

// A line of the log is one line, whatever a host says of its store.
func TestLogLines(t *testing.T) {
	p := start(t)
	step, _ := p.call("begin", `{"accepts":["store"],"now":1800009999}`)
	input := fmt.Sprintf(`{"now":1800009999,"flow":%q,"failed":"a\nb"}`, step["flow"])
	r := pure.Call(flow.Resume, p.state, []byte(input))
	var lines []string
	r.Lines(func(level host.Level, line string) {
		if level == host.Warn {
			lines = append(lines, line)
		}
	})
	if len(lines) != 1 || !strings.Contains(lines[0], "a b") {
		t.Errorf("got %q of %q", lines, r.Log)
	}
}

// What configure does not take is an error, and the config stays.
func TestConfigure(t *testing.T) {
	p := start(t)
	for _, input := range []string{`[]`, `{"client_id":1}`, `{"client_id":"other","user_id":null}`, `{`} {
		state := p.state
		if e, ok := p.call("configure", input); ok || e["code"] != "invalid_input" {
			t.Errorf("%s: %v", input, e)
		}
		p.state = state
	}
	if _, ok := p.call("configure", `{"customer_id":""}`); !ok || find(p.state, ".customer_id") != nil {
		t.Error("an empty value removes no key")
	}
}
