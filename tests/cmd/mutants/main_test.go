package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
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
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "sample.go", sample, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	if _, err := new(types.Config).Check("sample", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	var all []mutant
	m := mutator{source: []byte(sample), fset: fset, info: info, name: "sample.go", all: &all}
	text := m.file(file)
	if _, err := parser.ParseFile(fset, "mutated.go", text, 0); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var got []string
	for n := range all {
		got = append(got, strings.TrimPrefix(all[n].key, "sample.go f: "))
	}
	slices.Sort(got)
	want := []string{
		"!ok && a <= b → ||", "a * b → /", "a <= b → <", "a <= b → not so", "a == b → not so", "break → omitted", "i < limit → <=",
		"i < limit → not so", "n += a * b → n -= a * b", "n += a * b → omitted", "n++ → n--", "n++ → omitted", "ok → not so", "true → not so",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
