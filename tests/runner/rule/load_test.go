package rule

import "testing"

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

func TestRefusesPlaceholder(t *testing.T) {
	c := Case{Raw: []byte(`{"name": "{{unknown}}"}`)}
	if filled, err := c.Fill(map[string]string{"secret": "a"}); err == nil {
		t.Errorf("it is %+v", filled)
	}
}
