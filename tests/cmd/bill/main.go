// Command bill prints the bill of materials of the packages in dist, in CycloneDX's format:
// what is linked into the plugin, and what each package needs at run time, in the versions
// that the lock files name and the tests ran with. The same files give the same bytes.
//
//	go run ./cmd/bill >../dist/rostering.cdx.json
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"automatic-rostering/tests/conformance/hosts"
)

func main() {
	if err := write(os.Stdout, hosts.Root()); err != nil {
		fmt.Fprintln(os.Stderr, "bill:", err)
		os.Exit(1)
	}
}

// product is what dist has for users.
type product struct {
	ref    string
	files  []string // patterns, in dist; VERSION stands for the version
	inside bool     // it has the plugin inside
	needs  func(b *bill, ref string) error
}

var products = []product{
	{"pkg:generic/rostering-plugin", []string{"rostering.wasm", "rostering-nowasi.wasm"}, false, (*bill).plugin},
	{"pkg:golang/automatic-rostering.example/rostering", goModule("rostering"), true, goPackages("sdk/go")},
	{"pkg:golang/automatic-rostering.example/rostering/redisstore", goModule("rostering/redisstore"), false, goPackages("sdk/go/redisstore")},
	{"pkg:golang/automatic-rostering.example/sandbox", goModule("sandbox"), false, goPackages("sandbox")},
	{"pkg:npm/automatic-rostering", []string{"automatic-rostering-VERSION.tgz"}, true, (*bill).npm},
	{"pkg:pypi/automatic-rostering", []string{"automatic_rostering-VERSION-py3-none-any.whl", "automatic_rostering-VERSION.tar.gz"}, true, (*bill).python},
	{"pkg:maven/example.automaticrostering/automatic-rostering", []string{"maven/*/*/*/VERSION/*.jar", "maven/*/*/*/VERSION/*.pom"}, true, (*bill).maven},
	{"pkg:cargo/automatic-rostering", []string{"automatic-rostering-VERSION.crate"}, true, (*bill).cargo},
	{"pkg:generic/rostering-c", []string{"rostering-c-VERSION*.tar.gz"}, true, (*bill).c},
}

func goModule(name string) []string {
	return []string{"go/automatic-rostering.example/" + name + "/@v/vVERSION.*"}
}

// write prints the bill of the products that are in dist: a language whose tools are missing
// has none.
func write(w io.Writer, root string) error {
	text, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return err
	}
	version := strings.TrimSpace(string(text))
	b := newBill(root)
	const release = "pkg:generic/automatic-rostering"
	for _, p := range products {
		files, err := b.files(p.files, version)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			continue
		}
		v := version
		if strings.HasPrefix(p.ref, "pkg:golang/") {
			v = "v" + version
		}
		ref := b.add(p.ref, v, "MIT")
		b.components[ref].Components = &files
		b.need(release, ref, false)
		if p.inside {
			b.need(ref, products[0].ref+"@"+version, false)
		}
		if err := p.needs(b, ref); err != nil {
			return fmt.Errorf("%s: %w", p.ref, err)
		}
	}
	top := component(release, version, "MIT")
	top.BOMRef, top.Type = release, cdx.ComponentTypeApplication
	return b.encode(w, top)
}
