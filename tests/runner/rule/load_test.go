package rule

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A family has its values in place of their names.
func TestFamily(t *testing.T) {
	for name, test := range map[string]struct{ steps, want string }{
		"control characters": {`{a: "\0\r\n\t\u2028<&>"}`, `[{"a":"\u0000\r\n\t\u2028<&>"}]`},
		"an alias":           {"{a: &x {b: [1]}, c: *x}", `[{"a":{"b":[1]},"c":{"b":[1]}}]`},
		"a family": {
			`{a: "{{v}}", b: "x{{v}}", "{{v}}": 1, c: "{{w}}"}, {each: {one: {v: p, w: [1]}, two: {v: "2"}}}`,
			`f: one [{"a":"p","b":"xp","c":[1],"p":1}] f: two [{"2":1,"a":"2","b":"x2"}]`,
		},
		"a family of values":   {`{a: "{{row}}", b: "-{{ROW}}"}, {each: [x, 2]}`, `f: x [{"a":"x","b":"-X"}] f: 2 [{"a":2,"b":"-2"}]`},
		"another placeholder":  {`{a: "{{auth}}{{v}}"}, {each: {one: {v: /}}}`, `f: one [{"a":"{{auth}}/"}]`},
		"the fields of a case": {`{case: {slow: true}}, {do: a}`, `[{"do":"a"}]`},
	} {
		var steps []any
		if err := yaml.Unmarshal([]byte("["+test.steps+"]"), &steps); err != nil {
			t.Fatal(err)
		}
		all, err := family(map[string]any{"name": "f"}, steps)
		var got []string
		for _, one := range all {
			one := one.(map[string]any)
			got = append(got, fmt.Sprint(one["name"], " ", string(encode(one["steps"]))))
		}
		if joined := strings.Join(got, " "); err != nil || strings.TrimPrefix(joined, "f ") != test.want {
			t.Errorf("%s: it is %s, %v, not %s", name, joined, err, test.want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, file := range map[string]string{
		"a field twice":                "- {rule: r, rule: r}",
		"a value that nothing uses":    "- {rule: r, cases: {f: [{do: a}, {each: {one: {v: 1}}}]}}",
		"a rule that is no mapping":    "- a",
		"a case that is no list":       "- {rule: r, cases: {a: b}}",
		"a case twice":                 "- {rule: r, cases: {a: [{do: a}], a: [{do: a}]}}",
		"an unknown field":             "- {rule: r, case: a}",
		"an unknown field of a case":   "- {rule: r, cases: {a: [{case: {quick: true}}, {do: a}]}}",
		"an unknown field of a step":   "- {rule: r, cases: {a: [{done: a}]}}",
		"an unknown field of a server": "- {rule: r, cases: {a: [{replies: {auth: [{state: 1}]}}]}}",
	} {
		if all, err := read([]byte(file)); err == nil {
			t.Errorf("%s: it is %+v", name, all)
		}
	}
}

func TestFill(t *testing.T) {
	c := Case{Raw: []byte(`{"name": "{{secret}} token-0001 {{3 times x}}"}`)}
	if filled, err := c.Fill(map[string]string{"secret": `"\`}); err != nil || filled.Name != `"\ `+TokenPrefix+"0001 xxx" {
		t.Errorf("it is %+v, %v", filled, err)
	}
	if _, err := c.Fill(nil); err == nil {
		t.Error("a placeholder that does not exist is taken")
	}
}
