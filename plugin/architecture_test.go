package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers are the packages of core, top layer first: a package imports only from the
// layers below its own.
var layers = [][]string{
	{"direct", "pure"},
	{"flow", "service", "version"},
	{"oauth2"},
	{"config", "redact"},
	{"input"},
	{"host", "instance"},
	{"clock", "backoff"},
	{"apierror", "message"},
	{"json"},
	{"ascii"},
}

// heavy are packages that cost the guest kilobytes, through their tables, reflection
// or initialization.
var heavy = []string{"encoding/json", "errors", "fmt", "net/url", "reflect", "sort", "time", "unicode"}

const module = "automatic-rostering.example/rostering/plugin/core/"

func layer(pkg string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, pkg) })
}

func TestImportsPointOneWay(t *testing.T) {
	eachFile(t, "core", func(file, pkg string, source []byte) {
		if layer(pkg) < 0 {
			t.Fatalf("%s: package %s is in no layer", file, pkg)
		}
		for _, imported := range imports(t, file, source) {
			below, ours := strings.CutPrefix(imported, module)
			third := !ours && strings.Contains(strings.Split(imported, "/")[0], ".")
			validator := pkg == "json" && imported == "github.com/tidwall/gjson"
			switch {
			case ours && layer(path.Base(below)) <= layer(pkg):
				t.Errorf("%s imports %s, which is not below it", file, below)
			case third && !validator:
				t.Errorf("%s imports %s: only package main may import it", file, imported)
			case slices.Contains(heavy, imported):
				t.Errorf("%s imports %s, which is too heavy for the guest", file, imported)
			}
		}
	})
}

// TestOnlyPackageMainTouchesTheHost wants no memory in the core but the fields of a struct.
func TestOnlyPackageMainTouchesTheHost(t *testing.T) {
	eachFile(t, "core", func(file, _ string, source []byte) {
		for _, directive := range []string{"//go:wasmimport", "//go:linkname", "//export ", `"unsafe"`} {
			if words := file == "core/instance/summary.go" && directive == `"unsafe"`; strings.Contains(string(source), directive) && !words {
				t.Errorf("%s has %s: only package main may", file, directive)
			}
		}
	})
}

// eachFile calls f with every Go file below folder that goes into the guest.
func eachFile(t *testing.T, folder string, f func(file, pkg string, source []byte)) {
	t.Helper()
	seen := 0
	err := fs.WalkDir(os.DirFS("."), folder, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		seen++
		f(file, path.Base(path.Dir(file)), source)
		return nil
	})
	if err != nil || seen == 0 {
		t.Fatalf("%d files read: %v", seen, err)
	}
}

func imports(t *testing.T, file string, source []byte) (paths []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, imported)
	}
	return paths
}
