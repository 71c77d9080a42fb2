package rostering_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// documented parses a package without its tests.
func documented(t *testing.T, dir string) *doc.Package {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(set, files, dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryNameIsDocumented(t *testing.T) {
	for _, dir := range []string{".", "redisstore"} {
		p := documented(t, dir)
		names := 0
		want := func(doc string, what ...string) {
			t.Helper()
			if names++; strings.TrimSpace(doc) == "" {
				t.Errorf("%s: %s has no comment", dir, strings.Join(what, " "))
			}
		}
		values := func(all []*doc.Value) {
			for _, v := range all {
				if len(v.Decl.Specs) == 1 || v.Doc != "" {
					want(v.Doc, v.Names...)
					continue
				}
				for _, spec := range v.Decl.Specs {
					want(spec.(*ast.ValueSpec).Doc.Text(), v.Names...)
				}
			}
		}
		functions := func(all []*doc.Func) {
			for _, f := range all {
				want(f.Doc, f.Recv, f.Name)
			}
		}
		want(p.Doc, "the package")
		values(p.Consts)
		values(p.Vars)
		functions(p.Funcs)
		for _, kind := range p.Types {
			want(kind.Doc, kind.Name)
			values(kind.Consts)
			values(kind.Vars)
			functions(kind.Funcs)
			functions(kind.Methods)
		}
		if names < 5 {
			t.Errorf("%s: only %d names", dir, names)
		}
		t.Logf("%s: %d names", dir, names)
	}
}
