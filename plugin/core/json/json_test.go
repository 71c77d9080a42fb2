package json_test

import (
	"reflect"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/json"
)

// members reads all members of an object, each as "name=value".
func members(b string) (all []string, valid bool) {
	valid = json.Object([]byte(b), func(name string, value json.Value) bool {
		all = append(all, name+"="+string(value))
		return true
	})
	return all, valid
}

func TestObjectReadsMembersInOrder(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"none", `{}`, nil},
		{"none, with white space", " {\t} \r\n", nil},
		{"one of each kind", `{"s":"x","n":-1.5e+3,"b":true,"f":false,"z":null,"l":[1],"o":{}}`,
			[]string{`s="x"`, `n=-1.5e+3`, `b=true`, `f=false`, `z=null`, `l=[1]`, `o={}`}},
		{"repeated names", `{"a":1,"a":2}`, []string{"a=1", "a=2"}},
		{"an empty name", `{"":1}`, []string{"=1"}},
		{"an escaped name", `{"\u0061\n\"":1}`, []string{"a\n\"=1"}},
		{"white space everywhere", "\n{ \"a\" : 1 ,\t\"b\"\r:\n[ 1 , 2 ] }\n", []string{"a=1", "b=[ 1 , 2 ]"}},
		{"nested look-alikes are no members", `{"a":{"b":1},"c":[{"b":2}],"d":"{\"b\":3}"}`,
			[]string{`a={"b":1}`, `c=[{"b":2}]`, `d="{\"b\":3}"`}},
		{"brackets and quotes inside of text", `{"a":"}\"]","b":"\\"}`, []string{`a="}\"]"`, `b="\\"`}},
		{"brackets and quotes inside of names", `{"}\"":{"]":"["}}`, []string{`}"={"]":"["}`}},
		{"a number right before the brace", `{"a":1}`, []string{"a=1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, valid := members(tt.text)
			if !valid || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, %v, want %q", got, valid, tt.want)
			}
		})
	}
}

func TestObjectRejectsAnythingButOneObject(t *testing.T) {
	for _, text := range []string{
		``, ` `, `null`, `true`, `1`, `"{}"`, `[]`, `[{}]`, `{`, `}`, `{}}`, `{}{}`, `{},`, `{} x`, "{}\x00",
		`{"a"}`, `{"a":}`, `{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`, `{a:1}`, `{'a':1}`, `{1:1}`, `{"a":1;}`,
		`{"a":01}`, `{"a":+1}`, `{"a":.5}`, `{"a":1.}`, `{"a":1e}`, `{"a":0x1}`, `{"a":-}`, `{"a":NaN}`, `{"a":1-}`,
		`{"a":tru}`, `{"a":trux}`, `{"a":True}`, `{"a":nul}`, `{"a":nulll}`, `{"a":[1,]}`, `{"a":[1}`, `{"a":{]}`,
		`{"a":"\x"}`, `{"a":"\u12"}`, `{"a":"\u12g4"}`, `{"a":"}`, `{"a":"\"}`, "{\"a\":\"\n\"}", "{\"a\":\"\x00\"}",
		"\ufeff{}", "\u00a0{}", `{"a":1}/**/`, `//`, `{"a":1} {"b":2}`,
	} {
		t.Run(text, func(t *testing.T) {
			if got, valid := members(text); valid || got != nil {
				t.Errorf("got %q, %v", got, valid)
			}
		})
	}
}

func TestNestingIsLimited(t *testing.T) {
	nested := func(depth int) string { // of the object and the lists in it
		return `{"a":` + strings.Repeat(`[`, depth-1) + strings.Repeat(`]`, depth-1) + `}`
	}
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"64 levels", nested(64), true},
		{"65 levels", nested(65), false},
		{"a million levels", nested(1e6), false},
		{"a million levels that do not end", `{"a":` + strings.Repeat(`[`, 1e6), false},
		{"brackets in text are no levels", `{"a":"` + strings.Repeat(`[\"{`, 100) + `"}`, true},
		{"adjacent lists are not nested", `{"a":[` + strings.Repeat(`[],`, 100) + `[]]}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, valid := members(tt.text); valid != tt.want {
				t.Errorf("valid = %v", valid)
			}
		})
	}
}

func TestObjectStops(t *testing.T) {
	calls := 0
	valid := json.Object([]byte(`{"a":1,"b":2,"c":3}`), func(name string, _ json.Value) bool {
		calls++
		return name != "b"
	})
	if !valid || calls != 2 {
		t.Errorf("valid = %v after %d calls", valid, calls)
	}
}

func TestEachOfANestedValue(t *testing.T) {
	var names []string
	json.Object([]byte(`{"a": { "b" : {"c":1} , "d":[] } ,"e":1}`), func(_ string, value json.Value) bool {
		return value.Each(func(name string, inner json.Value) bool {
			names = append(names, name+"="+string(inner))
			return true
		})
	})
	if want := []string{`b={"c":1}`, "d=[]"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestEachOfANonObject(t *testing.T) {
	for _, value := range []json.Value{nil, {}, json.Value(" "), json.Value("null"), json.Value("1"), json.Value(`"{}"`), json.Value(`[{"a":1}]`)} {
		if value.Each(func(string, json.Value) bool { t.Error("called"); return false }) {
			t.Errorf("%q is an object", value)
		}
	}
}

func TestBlank(t *testing.T) {
	for text, want := range map[string]bool{"": true, " ": true, "\t\r\n ": true, "{}": false, "\x00": false, "\v": false, "\u00a0": false} {
		if got := json.Blank([]byte(text)); got != want {
			t.Errorf("Blank(%q) = %v", text, got)
		}
	}
}
