package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const top = "../../../.."

// copyTop copies what is published, so that its files have other paths, times and modes.
func copyTop(t *testing.T) string {
	t.Helper()
	copied := t.TempDir()
	version, err := os.ReadFile(filepath.Join(top, "VERSION"))
	if err := errors.Join(err, os.WriteFile(filepath.Join(copied, "VERSION"), version, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"sdk/go", "sandbox"} {
		if err := os.CopyFS(filepath.Join(copied, dir), os.DirFS(filepath.Join(top, dir))); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

// The go command takes the modules. They are the same wherever they are made, and hold what users need.
func TestModules(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	if err := errors.Join(publish(top, folder), publish(copyTop(t), other)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("diff", "-r", folder, other).CombinedOutput(); err != nil {
		t.Fatalf("not reproducible: %s", out)
	}
	cache := t.TempDir()
	for module, want := range map[string][]string{
		"rostering":            {"go.mod", "client.go", "rostering-nowasi.wasm", "LICENSE", "THIRD_PARTY_NOTICES.md", "README.md"},
		"rostering/redisstore": {"go.mod", "LICENSE"},
		"sandbox":              {"go.mod", "go.sum", "page.html", "cmd/rostering-sandbox/main.go", "LICENSE"},
	} {
		download := exec.Command("go", "mod", "download", "automatic-rostering.example/"+module+"@latest")
		download.Dir = t.TempDir()
		download.Env = append(os.Environ(), "GOPROXY=file://"+folder, "GONOSUMDB=*", "GOMODCACHE="+cache, "GOFLAGS=-modcacherw")
		if out, err := download.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", module, err, out)
		}
		found, err := filepath.Glob(filepath.Join(cache, "automatic-rostering.example", module+"@*"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s was unpacked to %q: %v", module, found, err)
		}
		for _, name := range want {
			if _, err := os.Stat(filepath.Join(found[0], name)); err != nil {
				t.Error(err)
			}
		}
		out, err := exec.Command("find", found[0], "-name", "*_test.go", "-o", "-name", ".*", "-o", "-path", "*/internal/*/main.go").Output()
		if err != nil || len(out) > 0 {
			t.Errorf("%s also holds %s: %v", module, out, err)
		}
	}
}
