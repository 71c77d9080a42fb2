// Package linked lists what is linked into the plugin. It looks at the modules of go.mod, at
// the toolchain, and at the linker's map, in which the archives stand whose members were
// linked.
package linked

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Part is the code of one project.
type Part struct {
	Name, Version string // an archive has no version
	Module        bool
	License       string // the text
}

// Parts are those of the plugin that was built in a repository.
func Parts(root string) ([]Part, error) {
	parts, err := modules(root)
	if err != nil {
		return nil, err
	}
	for _, tool := range []struct{ name, command, variable string }{
		{"TinyGo (runtime)", filepath.Join(root, "build/tinygo"), "TINYGOROOT"},
		{"Go (standard library)", "go", "GOROOT"},
	} {
		p := Part{Name: tool.name}
		var folder string
		for _, ask := range []struct {
			argument []string
			version  *string
		}{{[]string{"version"}, &p.Version}, {[]string{"env", tool.variable}, &folder}} {
			command := exec.Command(tool.command, ask.argument...)
			command.Dir = root
			text, err := command.Output()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", command, err)
			}
			*ask.version = strings.TrimSpace(string(text))
		}
		if p.Version = number.FindString(p.Version); p.Version == "" {
			return nil, fmt.Errorf("%s prints no version", tool.command)
		}
		if p.License, err = Text(folder); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	linked, err := archives(root)
	if err != nil {
		return nil, err
	}
	for _, archive := range linked {
		p, ok := ofArchive[filepath.Base(archive)]
		if !ok {
			return nil, fmt.Errorf("code of %s is linked, and its licence is not known here", archive)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// number is the version that a tool prints.
var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)+`)

// ofArchive are the projects of archives in C. Debian's wasi-libc gives exit.o alone, which
// is musl's; compiler-rt's builtins give nothing.
var ofArchive = map[string]Part{
	"libc.a": {Name: "musl (in wasi-libc: exit)", License: "Copyright 2005-2020 Rich Felker, et al.\n\n" + mit},
}

// Text is the licence of a project whose folder has a file with it.
func Text(folder string) (string, error) {
	for _, folder := range []string{folder, filepath.Dir(folder)} { // Debian's Go has its licence above its root
		for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md"} {
			if text, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
				return string(text), nil
			}
		}
	}
	return "", fmt.Errorf("there is no LICENSE in %s", folder)
}

// modules are those which the plugin's go.mod requires.
func modules(root string) (all []Part, err error) {
	list := exec.Command("go", "list", "-m", "-json", "all")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct {
			Path, Version, Dir string
			Main               bool
		}
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if m.Main {
			continue
		}
		p := Part{Name: m.Path, Version: m.Version, Module: true}
		if p.License, err = Text(m.Dir); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

var member = regexp.MustCompile(`(\S+\.a)\(`)

// archives are those of which the linker took something, by the maps of both builds.
func archives(root string) (all []string, err error) {
	for _, build := range []string{"rostering", "rostering-nowasi"} {
		text, err := os.ReadFile(filepath.Join(root, "build", build+".wasm.map"))
		if err != nil {
			return nil, fmt.Errorf("run make build first: %w", err)
		}
		for _, found := range member.FindAllStringSubmatch(string(text), -1) {
			all = append(all, found[1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining
a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be
included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.
IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT,
TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
