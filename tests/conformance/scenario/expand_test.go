package scenario

import (
	"strings"
	"testing"
)

// What a file may hold comes out as it stands there.
func TestExpand(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"numbers are kept to the digit":     {"[{a: 1e-999, b: 3600.0, c: -0}]", `{"a":1e-999,"b":3600.0,"c":-0}`},
		"text, though it looks like others": {`[{a: "1", b: yes, c: 'null', d: "{}"}]`, `{"a":"1","b":"yes","c":"null","d":"{}"}`},
		"control characters":                {`[{a: "\0\r\n\t\u2028<&>"}]`, `{"a":"\u0000\r\n\t\u2028<&>"}`},
		"an alias":                          {"[{a: &x {b: [1]}, c: *x}]", `{"a":{"b":[1]},"c":{"b":[1]}}`},
		"values of the file":                {"[{a: 1}]\nrule: r\naccepts: [store]", `{"a":1,"accepts":["store"],"rule":"r"}`},
		"its own value":                     {"[{rule: own}]\nrule: r", `{"rule":"own"}`},
		"a family": {
			`[{name: f, a: "{{v}}", b: "x{{v}}", "{{v}}": 1, c: "{{w}}", each: [{name: one, v: p, w: [1]}, {name: two, v: "2"}]}]`,
			`{"a":"p","b":"xp","c":[1],"name":"f: one","p":1} {"2":1,"a":"2","b":"x2","name":"f: two"}`,
		},
		"another placeholder": {`[{name: f, a: "{{auth}}{{v}}", each: [{name: one, v: /}]}]`, `{"a":"{{auth}}/","name":"f: one"}`},
	} {
		all, err := expand([]byte("scenarios: " + test.file))
		var got []string
		for _, one := range all {
			got = append(got, string(encode(one)))
		}
		if joined := strings.Join(got, " "); err != nil || joined != test.want {
			t.Errorf("%s: it is %s, %v, not %s", name, joined, err, test.want)
		}
	}
}

func TestExpandRefuses(t *testing.T) {
	for name, file := range map[string]string{
		"a field twice":                 "scenarios: [{a: 1, a: 2}]",
		"a number that JSON has not":    "scenarios: [{a: 0x10}]",
		"a date":                        "scenarios: [{a: 2027-01-15}]",
		"a null that JSON has not":      "scenarios: [{a: ~}]",
		"a value that nothing uses":     "scenarios: [{name: f, each: [{name: one, v: 1}]}]",
		"a row without a name":          `scenarios: [{name: f, a: "{{v}}", each: [{v: 1}]}]`,
		"a scenario that is no mapping": "scenarios: [a]",
	} {
		if all, err := expand([]byte(file)); err == nil {
			t.Errorf("%s: it is %s", name, all)
		}
	}
}
