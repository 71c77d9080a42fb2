package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"automatic-rostering/tests/linked"
)

// plugin adds what is linked into the plugin.
func (b *bill) plugin(ref string) error {
	parts, err := linked.Parts(b.root)
	if err != nil {
		return err
	}
	purls := map[string]string{
		"TinyGo (runtime)":          "pkg:golang/github.com/tinygo-org/tinygo",
		"Go (standard library)":     "pkg:golang/std",
		"musl (in wasi-libc: exit)": "pkg:generic/musl",
	}
	for _, p := range parts {
		license, err := spdx(p.License)
		if err != nil {
			return err
		}
		purl, version := purls[p.Name], p.Version
		if p.Module {
			purl = "pkg:golang/" + p.Name
		} else if version != "" {
			version = "v" + version // as Go's modules have it
		}
		b.need(ref, b.add(purl, version, license), false)
	}
	return nil
}

// goPackages adds the modules of all packages that those of a module need, tests aside.
func goPackages(folder string) func(b *bill, ref string) error {
	return func(b *bill, _ string) error { return b.goModules(filepath.Join(b.root, folder)) }
}

func (b *bill) goModules(folder string) error {
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Module", "./...")
	list.Dir = folder
	list.Env = append(list.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off")
	out, err := list.StdoutPipe()
	if err != nil {
		return err
	}
	if err := list.Start(); err != nil {
		return err
	}
	moduleOf := map[string]string{} // packages come after those that they import
	for d := json.NewDecoder(out); ; {
		var p struct {
			ImportPath string
			Imports    []string
			Module     *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list.Wait()
		} else if err != nil {
			return errors.Join(err, list.Wait())
		}
		if p.Module == nil {
			continue // the standard library
		}
		ref, err := b.goModule(p.Module.Path, p.Module.Version, p.Module.Dir)
		if err != nil {
			return errors.Join(err, list.Wait())
		}
		moduleOf[p.ImportPath] = ref
		for _, imported := range p.Imports {
			if needed := moduleOf[imported]; needed != "" && needed != ref {
				b.need(ref, needed, false)
			}
		}
	}
}

func (b *bill) goModule(path, version, folder string) (ref string, err error) {
	purl := "pkg:golang/" + path
	if strings.HasPrefix(path, "automatic-rostering.example/") { // which has been added, at its own version
		return b.find(purl)
	}
	text, err := linked.Text(folder)
	if err != nil {
		return "", err
	}
	license, err := spdx(text)
	return b.add(purl, version, license), err
}
