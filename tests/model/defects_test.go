package model_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var defects = flag.Bool("defects", false, "plant each defect of testdata/defects.txt in the core")

// TestDefects plants each defect in the core, by an overlay of its file, and wants TestRandom to find it. That takes minutes:
// without -args -defects, it only checks that the core has the lines that defects replace.
func TestDefects(t *testing.T) {
	data, err := os.ReadFile("testdata/defects.txt")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`seed \d+, after (\d+) steps: (.*)`)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")[2:]
	for ; len(lines) >= 3; lines = lines[3:] {
		name, title, _ := strings.Cut(lines[0], ": ")
		old, planted := lines[1][1:], lines[2][1:]
		t.Run(title, func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join("../../plugin/core", name))
			if err != nil {
				t.Fatal(err)
			}
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(source), old) != 1 {
				t.Fatalf("%s has no such text, or more than one: %s", name, old)
			}
			if !*defects {
				return
			}
			dir := t.TempDir()
			defect, overlay := filepath.Join(dir, "defect.go"), filepath.Join(dir, "overlay.json")
			write(t, defect, strings.Replace(string(source), old, planted, 1))
			write(t, overlay, fmt.Sprintf(`{"Replace":{%q:%q}}`, path, defect))
			out, err := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-run", "TestRandom$", ".",
				"-args", "-steps", "3000000").CombinedOutput()
			m := found.FindSubmatch(out)
			if err == nil || m == nil {
				t.Fatalf("not found: %s", out)
			}
			t.Logf("after %s steps: %s", m[1], m[2])
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
