package flow_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/flow"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/vars"
)

// forge changes the flow of the last step.
func (i *instance) forge(old, new string) {
	i.t.Helper()
	forged := strings.Replace(string(i.flows[""]), old, new, 1)
	if forged == string(i.flows[""]) {
		i.t.Fatalf("%s has no %s", forged, old)
	}
	i.flows[""] = json.RawMessage(forged)
}

// A forged flow may end in an error, not in harm to other flows.
func TestForgedFlowsAreInvalid(t *testing.T) {
	for _, tt := range []struct {
		name     string
		began    script
		old, new string
	}{
		{"a negative time", cold, `"1800000000 `, `"-1800000000 `},
		{"a fraction", cold, `"1800000000 `, `"1800000000.5 `},
		{"after the year 9999", cold, `"1800000000 `, `"253402300800 `},
		{"a number for the text", cold, `"progress":"`, `"progress":1,"p":"`},
		{"a number less", cold, `"1800000000 `, `"`},
		{"a number more", cold, `"1800000000 `, `"1 1800000000 `},
		{"no numbers", cold, `progress`, `Progress`},
		{"no state", cold, `"state":"requesting",`, ``},
		{"no step in choosing", cold, `"requesting"`, `"choosing"`},
		{"no step in done", cold, `"requesting"`, `"done"`},
		{"no step in failed", cold, `"requesting"`, `"failed"`},
		{"an unknown state", cold, `"requesting"`, `"x"`},
		{"another client", cold, `rostering:`, `rosterinG:`},
		{"no client", cold, `"client"`, `"clienT"`},
		{"a store that the host does not have", cold, `"requesting"`, `"reading_token"`},
		{"a lock that it does not have", cold, " 0 0 0 ", " 0 0 1 "},
		{"a failure that no request has", cold, " 0 0 0 0 0 0 0 0 ", " 0 0 0 0 0 0 1 0 "},
		{"a status of no failure", cold, " 0 0 0 0 0 0 0 0 ", " 0 0 0 0 0 0 0 400 "},
		{"an unknown failure", cold, " 0 0 0 0 0 0 0 0 ", " 0 0 0 0 0 0 6 0 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := newInstance(t).play(tt.began)
			i.forge(tt.old, tt.new)
			i.play(script{{"token A 60", "invalid_input"}, {"begin", "request"}})
		})
	}
}

var cold = script{{"begin", "request"}}

// A time in the future makes a token that is not usable by the clock, and so replaced.
func TestForgedTimeIsHarmless(t *testing.T) {
	i := newInstance(t).play(cold)
	i.forge(`"1800000000 `, `"200000000000 `)
	i.play(script{{"token A 60", "done | A +30"}}) // requested now at the latest
	i.play(script{{"+60", ""}, {"begin", "request"}})
	i.forge(`"1800000060 `, `"200000000000 `)
	i.Clock = 0
	if got := i.do("token B 60"); !strings.HasPrefix(got, "done | B") {
		t.Error(got)
	}
	i.Clock = noon + 60
	i.play(script{{"begin", "request"}, {"token C 60", "done | C +30"}})
}

func TestFlowClock(t *testing.T) {
	i := newInstance(t)
	i.Clock = 1640995200 // wazero's
	i.play(script{{"begin", "clock_unusable"}})
	do := func(text, want string) {
		t.Helper()
		r := flow.Begin(i, []byte(text))
		if i.flows[""] != nil {
			r = flow.Resume(i, fmt.Appendf(nil, `{"flow":%s%s}`, i.flows[""], text))
		}
		if got := i.returned("", r); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s", text, got)
		}
	}
	do(`{"now":1800000000}`, "request")
	began := i.flows[""]
	do(`,"status":503,"now":1`, "clock_unusable")
	i.flows[""] = began
	do(`,"status":503`, "token_endpoint_unavailable 503 retry 1") // the time of the step counts
}

func TestResultMustFitStep(t *testing.T) {
	results := map[string]string{"ok": "flow", "null": "value", "added": "added", "status 200": "status", "failed": ""}
	for _, tt := range []struct {
		began script
		fits  []string
		key   string
	}{
		{cold, []string{"status 200", "failed"}, "status"},
		{looking[:1], []string{"null", "failed"}, "value"},
		{looking, []string{"added", "failed"}, "added"},
		{locked[:2:2], []string{"added", "failed"}, "added"},
		{busy, []string{"null", "failed"}, "value"},
		{busy[:4], []string{"ok"}, "flow"},
		{after(locked, [2]string{"token A 60", "set token A 60 | A +30"}), []string{"ok", "failed"}, "flow"},
	} {
		for result := range results {
			i := newInstance(t).play(tt.began)
			if fits := i.do(result) != "invalid_input"; fits != strings.Contains(strings.Join(tt.fits, ","), result) {
				t.Errorf("after %v: %s fits: %v", tt.began[len(tt.began)-1], result, fits)
			}
		}
	}
}

// A host that drops the new token without a word: that counts as a failure, and nothing is written to the store.
func TestDroppedToken(t *testing.T) {
	i := newInstance(t).play(after(warm, [2]string{"+3540", ""}, [2]string{"begin store", "get token | A +30"}, [2]string{"null", "add lock requesting 10 | A +30"}, [2]string{"added", "request | A +30"}))
	i.Keeps = func(name string, value []byte) bool { return name != vars.TokenObject || len(value) == 0 }
	i.play(script{{"token B 3600", "set lock failed token_response_invalid wait 1 failures 1 2"}, {"ok", "token_response_invalid retry 1"}, {"+1", ""}, {"begin", "request"}})
}

// FuzzFlow resumes with anything as the flow. It may fail, but not loop, and must leave an
// instance that gets a token.
func FuzzFlow(f *testing.F) {
	for _, began := range []script{cold, looking[:1], looking, locked, busy, busy[:4]} {
		i := newInstance(nil)
		for _, line := range began {
			i.t = &testing.T{}
			i.do(line[0])
		}
		for _, result := range []string{`"status":503`, `"value":null`, `"added":true`, `"now":1800000005`, `"failed":""`} {
			f.Add(string(i.flows[""]), result, int64(noon))
		}
	}
	f.Fuzz(func(t *testing.T, flowText, result string, now int64) {
		i := newInstance(t)
		i.play(warm)
		i.Clock = now
		r := flow.Resume(i, []byte(`{"flow":`+flowText+`,`+result+`}`))
		if r.Kind != host.Output && r.Kind != host.Error || !json.Valid(r.Text) {
			t.Fatalf("%s", r.Text)
		}
		if state := vars.Decode(i.Vars[vars.Summary]); state.Clears != 0 {
			t.Errorf("%+v", state)
		}
		i.Clock = noon + 4000
		i.play(script{{"clear", ""}, {"begin", "request"}, {"token B 60", "done | B +30"}})
	})
}
