// Package setup holds that setup.sh provides every program that tests, checks and examples start.
package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
)

// given is what need not be in programs.txt.
var given = words(
	// The README asks for these.
	"go gofmt git make",
	// Parts of bash.
	"bash . : [ break cd command continue echo eval exec exit export false mapfile printf pwd read return set shift source test trap true type umask",
	// Essential packages of Debian.
	"apt-cache apt-get awk basename cat chmod cmp cp diff dirname dpkg-deb dpkg-query env expand find flock grep gzip head id install ln ls",
	"mkdir mktemp mv paste realpath rm sed sha1sum sha256sum sort stat tar tail timeout tee touch tr uname wc xargs",
	// plugin/toolchain.sh installs these.
	"clang-19 tinygo wasm-as wasm-dis wasm-opt",
)

func words(lines ...string) []string { return strings.Fields(strings.Join(lines, " ")) }

// row is a line of programs.txt.
type row struct{ who, programs []string }

func list(t *testing.T) (rows []row) {
	t.Helper()
	for line := range strings.Lines(read(t, "tests/setup/programs.txt")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Fields(line)
		if len(columns) < 4 {
			t.Fatalf("programs.txt: %q", line)
		}
		rows = append(rows, row{strings.Split(columns[0], ","), strings.Split(columns[1], "|")})
	}
	return rows
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(hosts.Root(), file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// files are those of the repository that start programs.
func files(t *testing.T) (names []string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard")
	list.Dir = hosts.Root()
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		_, err := os.Stat(filepath.Join(list.Dir, name))
		if err == nil && !strings.HasPrefix(name, "tests/setup/") && finder(name) != nil {
			names = append(names, name)
		}
	}
	return names
}

func TestEveryProgramIsInTheList(t *testing.T) {
	known := slices.Clone(given)
	for _, r := range list(t) {
		known = append(known, r.programs...)
	}
	for _, file := range files(t) {
		// A script that cannot be run is sourced by others: they may call its functions.
		if text := read(t, file); filepath.Ext(file) == ".sh" && !strings.HasPrefix(text, "#!") {
			functions, err := functionsIn(text)
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			known = append(known, functions...)
		}
	}
	for _, file := range files(t) {
		programs, err := finder(file)(read(t, file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		slices.Sort(programs)
		for _, program := range slices.Compact(programs) {
			if !slices.Contains(known, program) {
				t.Errorf("%s starts %s, which is not in tests/setup/programs.txt", file, program)
			}
		}
	}
}

func TestProgramsAreFound(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.go", `exec.Command("one", "x"); exec.CommandContext(t.Context(), "two"); exec.LookPath("three")`, "one two three"},
		{"a.java", "new ProcessBuilder(\n    \"one\", \"x\")", "one"},
		{"a.py", `shutil.which("one"); subprocess.run(["two", "x"]); subprocess.Popen("three")`, "one two three"},
		{"a.js", `spawn('one', []); execFile('two'); execFileSync('three')`, "one two three"},
		{"a.ts", `new Deno.Command('one'); Bun.spawn(['two', 'x'])`, "one two"},
		{"a.rs", `Command::new("one").arg("x")`, "one"},
		{"a.c", `system("one x"); popen("two x", "r"); posix_spawnp(&pid, "three", NULL)`, "one two three"},
		{"hosts.json", `"command": ["one", "x"], "build": "x"`, "one"},
		{"a.sh", "f() { one x; }\nf | two \"$(three)\" && exec four\ncommand -v five\n$x y\n./six\n", "one two three four five"},
		{"Makefile", "A := one x\nB := $(shell two)\nall: x \\\n\tx\n\t@$(A) && for i in $$(three $(B)); do four \\\n\t$$i ; done\n", "one two three four"},
	} {
		got, err := finder(c.file)(c.text)
		if err != nil {
			t.Fatal(err)
		}
		got = slices.DeleteFunc(got, func(program string) bool { return slices.Contains(given, program) })
		want := strings.Fields(c.want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(slices.Compact(got), want) {
			t.Errorf("%s: found %q in %q", c.file, got, c.text)
		}
	}
}

// A name that is misspelt there or here would need nothing.
func TestNamesOfWhoNeedsPrograms(t *testing.T) {
	var known []string
	for _, r := range list(t) {
		known = append(known, r.who...)
	}
	for _, name := range known {
		if language := strings.TrimSuffix(name, "-check"); !slices.Contains(append(hosts.Languages(), "redis", "page", "ffi", "bench"), language) {
			t.Errorf("programs.txt: %s is unknown", name)
		}
	}
	call := regexp.MustCompile(`tests/setup/setup\.sh"? ([a-z-]+)\s`)
	for _, file := range files(t) {
		for _, name := range call.FindAllStringSubmatch(read(t, file), -1) {
			if !slices.Contains(known, name[1]) {
				t.Errorf("%s: programs.txt lists nothing for %s", file, name[1])
			}
		}
	}
}
