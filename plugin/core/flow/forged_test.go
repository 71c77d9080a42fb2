package flow_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/instance"
)

// A flow that was changed is invalid, and does no harm to others.
func TestChangedFlowsAreInvalid(t *testing.T) {
	for _, tt := range []struct{ name, old, new string }{
		{"a negative time", " 1800000000 ", " -1800000000 "},
		{"a fraction", " 1800000000 ", " 1800000000.5 "},
		{"another time", " 1800000000 ", " 1800000001 "},
		{"a leading zero", " 1800000000 ", " 01800000000 "},
		{"a number less", " 1800000000 ", " "},
		{"a number more", " 1800000000 ", " 1800000000 0 "},
		{"a space at the end", `"}`, ` "}`},
		{"another state", `"5 `, `"3 `},
		{"no text", `"5 `, `["5 `},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := newInstance(t).play(cold)
			flow := `{"flow":` + string(i.flows[""]) + `}`
			changed := strings.Replace(flow, tt.old, tt.new, 1)
			if changed == flow {
				t.Fatalf("%s has no %s", flow, tt.old)
			}
			i.flows[""] = json.RawMessage(strings.TrimSuffix(strings.TrimPrefix(changed, `{"flow":`), "}"))
			if got := i.do("token A 60"); got != "invalid_input" {
				t.Error(got)
			}
			i.play(script{{"begin", "request"}})
		})
	}
}

// A checksum can be forged, but a flow continues only from a state that waits for a result.
func TestForgedStateIsInvalid(t *testing.T) {
	for _, state := range []string{"0", "8", "9"} {
		i := newInstance(t).play(cold)
		words := strings.Split(strings.Trim(string(i.flows[""]), `"`), " ")
		words[0] = state
		i.flows[""] = forge(words[:len(words)-1])
		if got := i.do("ok"); got != "invalid_input" {
			t.Errorf("%s: %s", state, got)
		}
	}
}

// forge returns the flow of these words, a state and numbers, with its checksum.
func forge(words []string) json.RawMessage {
	text := strings.Join(words, " ")
	return fmt.Appendf(nil, `"%s %d"`, text, instance.Hash(text))
}

// Each number has a range: what is beyond has no meaning, or takes long.
func TestForgedNumbersAreInvalid(t *testing.T) {
	i := newInstance(t).play(locked[:2:2])
	words := strings.Split(strings.Trim(string(i.flows[""]), `"`), " ")
	words = words[:len(words)-1]
	const store, asked = 9, 12
	for at := range words {
		number := "1001"
		if at > 0 && at < store {
			number = "281474976710657"
		}
		forged := slices.Clone(words)
		forged[at] = number
		i.flows[""] = forge(forged)
		if got := i.do("added"); got != "invalid_input" {
			t.Errorf("number %d is %s: %s", at, number, got)
		}
	}
	words[asked] = "2" // it failed, but with no code
	i.flows[""] = forge(words)
	if got := i.do("added"); got != "invalid_input" {
		t.Error(got)
	}
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
	i.Keeps = func(name string, value []byte) bool { return name != instance.TokenObject || len(value) == 0 }
	i.play(script{{"token B 3600", "set lock failed token_response_invalid wait 1 failures 1 3 | A +5"}, {"ok", "done | A +5"}, {"+5", ""}, {"begin", "request | A +30"}})
	if got := string(flow.Status(i, nil).Text); !strings.Contains(got, `"failed_token_requests":1,`) {
		t.Error(got)
	}
	i = newInstance(t).play(warm)
	delete(i.Vars, instance.TokenObject)
	i.play(script{{"begin store", "get token"}, {"stored A 3600", "done | A +3540"}})
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
	f.Fuzz(func(t *testing.T, flowText, result string, now int64) { resumeForged(t, flowText, result, now) })
}

// flowResults are results of the states from 1 on.
var flowResults = []string{"", "null", "added", "null", "ok", "status 503", "ok", "ok"}

// FuzzForgedFlow resumes with any state and numbers, with a checksum.
func FuzzForgedFlow(f *testing.F) {
	i := newInstance(f)
	i.play(cold)
	words := strings.Split(strings.Trim(string(i.flows[""]), `"`), " ")
	client := words[1]
	for n := range 7 * 2 * 4 {
		state, asked, found := 1+n%7, 2*(n/7%2), n/14
		numbers := fmt.Sprintf("%d C 1800000000 0 1800000000 1 0 0 0 3 0 1 %d %d 0 %d 0 0 0", state, asked, asked, found)
		if i.flows[""] = forge(strings.Fields(strings.Replace(numbers, "C", client, 1))); i.do(flowResults[state]) == "invalid_input" {
			f.Errorf("no flow has %s", numbers)
		}
		for _, result := range []string{`"status":503`, `"value":null`, `"added":true`, `"now":1800000005`, `"failed":""`} {
			f.Add(numbers, result, int64(noon))
		}
	}
	f.Fuzz(func(t *testing.T, numbers, result string, now int64) {
		text := forge(strings.Fields(strings.Replace(numbers, "C", client, 1)))
		if json.Valid(text) {
			resumeForged(t, string(text), result, now)
		}
	})
}

func resumeForged(t *testing.T, flowText, result string, now int64) {
	i := newInstance(t)
	i.play(warm)
	i.Clock = now
	r := flow.Resume(i, []byte(`{"flow":`+flowText+`,`+result+`}`))
	var err struct{ Code, Message string }
	if r.Kind != host.Output && r.Kind != host.Error || json.Unmarshal(r.Text, &err) != nil {
		t.Fatalf("%s", r.Text)
	}
	if r.Kind == host.Error && (err.Code == "" || err.Message == "") {
		t.Errorf("the error is %s", r.Text)
	}
	if state := instance.Decode(i.Vars[instance.Summary]); state.Clears != 0 {
		t.Errorf("%+v", state)
	}
	i.Clock = noon + 4000
	i.play(script{{"clear", ""}, {"begin", "request"}, {"token B 60", "done | B +30"}})
}
