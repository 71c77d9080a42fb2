package input_test

import (
	"reflect"
	"testing"

	"automatic-rostering/plugin/core/input"
)

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
		{"now next to the input", `{"call":"get_token","now":1}`, "now"},
		{"accepts that is text", `{"call":"get_token","accepts":"wait"}`, "accepts"},
		{"accepts that is null", `{"call":"get_token","accepts":null}`, "accepts"},
		{"accepts that is an object", `{"call":"get_token","accepts":{"wait":true}}`, "accepts"},
		{"a store without waits", `{"call":"get_token","accepts":["store"]}`, "accepts"},
		{"an unknown step", `{"call":"get_token","accepts":["wait","sleep"]}`, "accepts"},
		{"a step in capitals", `{"call":"get_token","accepts":["Wait"]}`, "accepts"},
		{"a step twice", `{"call":"get_token","accepts":["wait","wait"]}`, "accepts"},
		{"a step twice and another", `{"call":"get_token","accepts":["wait","store","store"]}`, "accepts"},
		{"a step that is no text", `{"call":"get_token","accepts":["wait",null]}`, "accepts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.ParseBegin([]byte(tt.text))
			checkError(t, err, tt.key)
		})
	}
}

func TestAccepts(t *testing.T) {
	for text, want := range map[string]input.Accepts{
		``:                            input.AcceptsNothing,
		`,"accepts":[]`:               input.AcceptsNothing,
		`,"accepts":["wait"]`:         input.AcceptsWait,
		`,"accepts":["wait","store"]`: input.AcceptsStore,
		`,"accepts":["store","wait"]`: input.AcceptsStore,
	} {
		got, err := input.ParseBegin([]byte(`{"call":"get_token"` + text + `}`))
		if err != nil || got.Accepts != want {
			t.Errorf("%s: got %v, %v, want %v", text, got.Accepts, err, want)
		}
	}
}

func TestTheInputOfACallIsReadInBegin(t *testing.T) {
	begin, err := input.ParseBegin([]byte(`{"call":"send_request","input": {"path":"/","method":"PUT","body":true} }`))
	if err != nil {
		t.Fatal(err)
	}
	in, err := input.Parse(begin.Input, begin.Export, true)
	if err != nil || !in.Request.HostBody || in.Request.Body != "" {
		t.Errorf("got %+v, %v", in.Request, err)
	}
	if in, err = input.Parse(nil, input.ListJobs, true); err != nil || !reflect.DeepEqual(in, input.Input{}) {
		t.Errorf("no input: got %+v, %v", in, err)
	}
}
