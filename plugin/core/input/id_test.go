package input_test

import (
	"reflect"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/input"
)

func TestID(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       input.ID
	}{
		{"text", `"c-1"`, input.ID{Text: "c-1"}},
		{"a space inside", `"a b"`, input.ID{Text: "a b"}},
		{"every kind of visible character", `"!\"\\\/~"`, input.ID{Text: `!"\/~`}},
		{"an escaped letter", `"\u0041"`, input.ID{Text: "A"}},
		{"256 bytes", `"` + strings.Repeat("c", 256) + `"`, input.ID{Text: strings.Repeat("c", 256)}},
		{"digits as text", `"12"`, input.ID{Text: "12"}},
		{"null leaves the header out", `null`, input.ID{Omitted: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := input.Parse([]byte(`{"customer_id":`+tt.text+`}`), input.ListJobs)
			if err != nil || !reflect.DeepEqual(in, &input.Input{Customer: tt.want}) {
				t.Errorf("customer_id: got %+v, %v", in, err)
			}
			in, err = input.Parse([]byte(`{"user_id":`+tt.text+`}`), input.ListJobs)
			if err != nil || !reflect.DeepEqual(in, &input.Input{User: tt.want}) {
				t.Errorf("user_id: got %+v, %v", in, err)
			}
		})
	}
}

func TestIDIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"a number", `12`},
		{"true", `true`},
		{"false", `false`},
		{"a list", `["c"]`},
		{"an object", `{"id":"c"}`},
		{"nothing", `""`},
		{"257 bytes", `"` + strings.Repeat("c", 257) + `"`},
		{"a space before", `" c"`},
		{"a space behind", `"c "`},
		{"a space alone", `" "`},
		{"an escaped newline", `"c\n"`},
		{"a header split", `"c\r\nX: y"`},
		{"a tab", `"a\tb"`},
		{"NUL", `"\u0000"`},
		{"DEL", "\"\x7f\""},
		{"a letter beyond ASCII", `"é"`},
		{"an escaped letter beyond ASCII", `"\u00e9"`},
		{"half a surrogate pair", `"\ud83d"`},
		{"invalid UTF-8", "\"\xff\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, key := range []string{"customer_id", "user_id"} {
				_, err := input.Parse([]byte(`{"`+key+`":`+tt.text+`}`), input.ListJobs)
				checkError(t, err, key)
			}
		})
	}
}

func TestIDsAreNamedOneToOne(t *testing.T) {
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

func TestOnlyIDsCountForTheirName(t *testing.T) {
	in := input.Input{Force: true, Clock: input.Clock{Now: 1, HasNow: true}}
	if got := in.IDs(); got != "" {
		t.Errorf("got %q", got)
	}
}
