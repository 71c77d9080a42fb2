package input_test

import (
	"reflect"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/input"
)

// The rules show what is read and refused, the fuzz targets compare it with slower
// readings. Here is what they leave.

func begin(text string) *apierror.Error {
	_, err := input.Parse([]byte(text), input.Begin)
	return err
}

func send(text string) *apierror.Error {
	_, err := input.Parse([]byte(text), input.SendRequest)
	return err
}

func request(text string) *apierror.Error {
	_, err := input.Parse([]byte(text), input.Request)
	return err
}

func resume(text string) *apierror.Error {
	_, err := input.ParseResume([]byte(text))
	return err
}

func explain(text string) *apierror.Error {
	_, err := input.ParseExplain([]byte(text))
	return err
}

func TestRejects(t *testing.T) {
	for _, tt := range []struct {
		name  string
		parse func(string) *apierror.Error
		text  string
		key   string
	}{
		{"an unknown name, which may be a secret", begin, `{"x":1}`, ""},
		{"an empty body of a host", request, `{"method":"POST","body":""}`, "body"},
		{"no body of a host", request, `{"method":"POST","body":false}`, "body"},
		{"a header that is a list", send, `{"path":"/","headers":{"X":["y"]}}`, "headers"},
		{"failed and a status", resume, `{"flow":"x","status":200,"failed":"x"}`, "failed"},
		{"headers of a response as a list", resume, `{"flow":"x","status":200,"headers":[["a","b"]]}`, "headers"},
		{"a header that is a number", resume, `{"flow":"x","status":200,"headers":{"a":1,"b":""}}`, "headers"},
		{"a list with a number", resume, `{"flow":"x","status":200,"headers":{"a":["b",1]}}`, "headers"},
		{"a status with a fraction", resume, `{"flow":"x","status":200.5}`, "status"},
		{"a token that is no list", explain, `{"status":500,"tokens":"a"}`, "tokens"},
		{"a token that is a number", explain, `{"status":500,"tokens":[1]}`, "tokens"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.parse(tt.text); err == nil || err.Code != apierror.InvalidInput || err.Key != tt.key {
				t.Errorf("got %+v, want an error about %q", err, tt.key)
			}
		})
	}
}

func TestReads(t *testing.T) {
	for text, want := range map[string]string{`["8","9"]`: "8", `[]`: "", `"7"`: "7"} {
		r, err := input.ParseResume([]byte(`{"flow":"x","status":0,"headers":{"X":"1","retry-AFTER":` + text + `,"Y":"2"}}`))
		if err != nil || r.RetryAfter != want {
			t.Errorf("%s: got %+v, %v", text, r, err)
		}
	}
	if in, err := input.Parse([]byte(`{"accepts":[]}`), input.Begin); err != nil || !reflect.DeepEqual(in, &input.Input{}) {
		t.Errorf("without a store: %+v, %v", in, err)
	}
	if err := send(`{"path":"/","method":"GET","headers":{"X":"y"}}`); err != nil {
		t.Errorf("%+v", err)
	}
}

func TestIDNamesAreUnique(t *testing.T) {
	ids := []input.ID{{}, {Omitted: true}, {Text: "a"}, {Text: "b"}, {Text: "a b"}, {Text: "null"}, {Text: `\n`}, {Text: `\t`}}
	names := map[string][2]input.ID{}
	for _, customer := range ids {
		for _, user := range ids {
			in := input.Input{Customer: customer, User: user}
			if other, found := names[in.IDs()]; found {
				t.Errorf("%+v and %+v have the same name %q", [2]input.ID{customer, user}, other, in.IDs())
			}
			names[in.IDs()] = [2]input.ID{customer, user}
		}
	}
	if got := names[""]; got != ([2]input.ID{}) {
		t.Errorf("the empty name is that of %+v, want that of the config's ids", got)
	}
}
