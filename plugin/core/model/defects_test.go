package model_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var defects = flag.Bool("defects", false, "plant each defect of testdata/defects.txt in a copy of the core")

// TestDefects plants each defect in a copy of the core, and wants TestRandom to find it.
func TestDefects(t *testing.T) {
	if !*defects {
		t.Skip("it takes minutes; run it with -args -defects")
	}
	data, err := os.ReadFile("testdata/defects.txt")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	run := func(dir, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("../../..", "cp", "-r", "go.mod", "go.sum", "plugin", root); err != nil {
		t.Fatal(out)
	}
	found := regexp.MustCompile(`seed \d+, after (\d+) steps: (.*)`)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")[2:]
	for ; len(lines) >= 3; lines = lines[3:] {
		name, title, _ := strings.Cut(lines[0], ": ")
		old, planted := lines[1][1:], lines[2][1:]
		t.Run(title, func(t *testing.T) {
			path := filepath.Join(root, "plugin/core", name)
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(source), old) != 1 {
				t.Fatalf("%s has no such text, or more than one: %s", name, old)
			}
			defer os.WriteFile(path, source, 0o644)
			os.WriteFile(path, []byte(strings.Replace(string(source), old, planted, 1)), 0o644)
			out, err := run(filepath.Join(root, "plugin/core/model"), "go", "test", "-vet=off", "-run", "TestRandom$", ".", "-args", "-steps", "3000000")
			m := found.FindStringSubmatch(out)
			if err == nil || m == nil {
				t.Fatalf("not found: %s", out)
			}
			t.Logf("after %s steps: %s", m[1], m[2])
		})
	}
}
