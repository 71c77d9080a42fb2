package main

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

const sample = `package sample

const limit = 3 + 4

func f(a, b int, ok bool) (n int, long bool) {
	for i := 0; i < limit; i++ {
		n += a * b
		if !ok && a <= b {
			break
		}
	}
	switch {
	case a == b:
		n++
	}
	return n, true
}
`

func TestMutantsOfAFile(t *testing.T) {
	m := mutator{fset: token.NewFileSet()}
	file := must(parser.ParseFile(m.fset, "sample.go", sample, parser.SkipObjectResolution))
	m.findTypes(nil, file)
	text := m.file("sample.go", []byte(sample), file)
	if _, err := parser.ParseFile(m.fset, "mutated.go", text, 0); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got := strings.Split(strings.ReplaceAll(strings.Join(m.keys, "\n"), "sample.go f: ", ""), "\n")
	slices.Sort(got)
	want := []string{
		"!ok && a <= b → ||", "a * b → one more", "a <= b → <", "a <= b → not so", "a == b → not so", "break → omitted", "i < limit → <=",
		"i < limit → not so", "n += a * b → omitted", "n++ → omitted", "ok → not so", "true → not so",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
