// Command notices prints THIRD_PARTY_NOTICES.md: the licences of what is linked into the
// plugin. It looks at the modules of go.mod, at the toolchain, and at the linker's map, in
// which the archives stand whose members were linked.
//
//	go run ./cmd/notices >../THIRD_PARTY_NOTICES.md
package main

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

	"automatic-rostering/tests/conformance/hosts"
)

func main() {
	if err := write(os.Stdout, hosts.Root()); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

const head = `# Third-party notices

The WebAssembly files of the plugin, and so every package that has one inside, contain code of these projects. ` +
	"`make notices`" + ` writes this file.
`

func write(w io.Writer, root string) error {
	parts, err := modules(root)
	if err != nil {
		return err
	}
	for _, tool := range []struct{ name, command, variable string }{
		{"TinyGo (runtime)", filepath.Join(root, "build/tinygo"), "TINYGOROOT"},
		{"Go (standard library)", "go", "GOROOT"},
	} {
		text, err := exec.Command(tool.command, "env", tool.variable).Output()
		if err != nil {
			return fmt.Errorf("%s env %s: %w", tool.command, tool.variable, err)
		}
		p, err := licensed(tool.name, strings.TrimSpace(string(text)))
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	linked, err := archives(root)
	if err != nil {
		return err
	}
	for _, archive := range linked {
		notice, ok := ofArchive[filepath.Base(archive)]
		if !ok {
			return fmt.Errorf("code of %s is linked, and its licence is not known here", archive)
		}
		parts = append(parts, notice)
	}
	text := head
	for _, p := range parts {
		text += fmt.Sprintf("\n## %s\n\n```text\n%s\n```\n", p.name, strings.TrimSpace(p.text))
	}
	_, err = io.WriteString(w, text)
	return err
}

// notice is the licence of one project.
type notice struct{ name, text string }

// ofArchive are the licences of archives in C. Debian's wasi-libc gives exit.o alone, which
// is musl's; compiler-rt's builtins give nothing.
var ofArchive = map[string]notice{
	"libc.a": {"musl (in wasi-libc: exit)", "Copyright 2005-2020 Rich Felker, et al.\n\n" + mit},
}

// licensed is the notice of a project whose folder has a file LICENSE.
func licensed(name, folder string) (notice, error) {
	for _, folder := range []string{folder, filepath.Dir(folder)} { // Debian's Go has its licence above its root
		if text, err := os.ReadFile(filepath.Join(folder, "LICENSE")); err == nil {
			return notice{name, string(text)}, nil
		}
	}
	return notice{}, fmt.Errorf("%s has no LICENSE in %s", name, folder)
}

// modules are the notices of the modules that the plugin's go.mod requires.
func modules(root string) (all []notice, err error) {
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
		p, err := licensed(m.Path+" "+m.Version, m.Dir)
		if err != nil {
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
