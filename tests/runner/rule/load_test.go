package rule

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// expand returns a list of cases, those of families one by one.
func expand(file string) (all []map[string]any, err error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(file), &root); err != nil {
		return nil, err
	}
	value, err := plain(&root)
	if err != nil {
		return nil, err
	}
	for _, one := range value.([]any) {
		members, err := family(one.(map[string]any))
		if err != nil {
			return nil, err
		}
		all = append(all, members...)
	}
	return all, nil
}

// What a file may hold comes out as it stands there.
func TestExpand(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"numbers are kept to the digit":     {"[{a: 1e-999, b: 3600.0, c: -0}]", `{"a":1e-999,"b":3600.0,"c":-0}`},
		"text, though it looks like others": {`[{a: "1", b: yes, c: 'null', d: "{}"}]`, `{"a":"1","b":"yes","c":"null","d":"{}"}`},
		"control characters":                {`[{a: "\0\r\n\t\u2028<&>"}]`, `{"a":"\u0000\r\n\t\u2028<&>"}`},
		"an alias":                          {"[{a: &x {b: [1]}, c: *x}]", `{"a":{"b":[1]},"c":{"b":[1]}}`},
		"a family": {
			`[{case: f, a: "{{v}}", b: "x{{v}}", "{{v}}": 1, c: "{{w}}", each: [{name: one, v: p, w: [1]}, {name: two, v: "2"}]}]`,
			`{"a":"p","b":"xp","c":[1],"case":"f: one","p":1} {"2":1,"a":"2","b":"x2","case":"f: two"}`,
		},
		"another placeholder": {`[{case: f, a: "{{auth}}{{v}}", each: [{name: one, v: /}]}]`, `{"a":"{{auth}}/","case":"f: one"}`},
	} {
		all, err := expand(test.file)
		var got []string
		for _, one := range all {
			got = append(got, string(encode(one)))
		}
		if joined := strings.Join(got, " "); err != nil || joined != test.want {
			t.Errorf("%s: it is %s, %v, not %s", name, joined, err, test.want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, file := range map[string]string{
		"a field twice":                "- {rule: r, rule: r}",
		"a number that JSON has not":   "- {rule: r, cases: [{case: a, steps: [{at: 0x10}]}]}",
		"a date":                       "- {rule: 2027-01-15}",
		"a null that JSON has not":     "- {rule: ~}",
		"a value that nothing uses":    "- {rule: r, cases: [{case: f, each: [{name: one, v: 1}]}]}",
		"a row without a name":         `- {rule: r, cases: [{case: f, steps: [{do: "{{v}}"}], each: [{v: 1}]}]}`,
		"a rule that is no mapping":    "- a",
		"a case that is no mapping":    "- {rule: r, cases: [a]}",
		"an unknown field":             "- {rule: r, case: a}",
		"an unknown field of a step":   "- {rule: r, cases: [{case: a, steps: [{done: a}]}]}",
		"an unknown field of a server": "- {rule: r, cases: [{case: a, steps: [{replies: {server: auth, with: [{state: 1}]}}]}]}",
	} {
		if all, err := read([]byte(file)); err == nil {
			t.Errorf("%s: it is %+v", name, all)
		}
	}
}

// A case has the defaults of its rule, and placeholders mean the same in every string.
func TestFill(t *testing.T) {
	rules, err := read([]byte(`- definitions: [&x "{{secret}} token-0001 {{3 times \\}}"]
- {rule: r, anchor: a, accepts: [store], cases: [{case: one, steps: [{do: x, input: {y: *x}}]}, {case: two, anchor: b, steps: []}]}
- {rule: s, cases: [{case: three, steps: []}]}`))
	if err != nil {
		t.Fatal(err)
	}
	one, err := rules[0].Cases[0].Fill(map[string]string{"secret": `"\`})
	if err != nil {
		t.Fatal(err)
	}
	two, three := rules[0].Cases[1], rules[1].Cases[0]
	got := fmt.Sprint(string(one.Steps[0].Input["y"]), one.Anchor, one.Accepts, one.Players, two.Anchor, three.Players)
	if want := `"\"\\ ` + TokenPrefix + `0001 \\\\\\"a[store]pluginblibraries`; got != want {
		t.Errorf("it is %s, not %s", got, want)
	}
	if c, err := one.Fill(nil); err != nil || c.Name != "one" {
		t.Error(c, err)
	}
	if _, err := rules[0].Cases[0].Fill(nil); err == nil {
		t.Error("a placeholder that does not exist is taken")
	}
}
