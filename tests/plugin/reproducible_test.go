package plugin

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The same source must build to the same bytes in another folder and with nothing
// cached, so that anyone can check what they got.
func TestSameBytesInAnotherFolder(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"Makefile", "VERSION", "go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, needed := range []string{"plugin", "sdk/setup", "tests/conformance/hosts"} {
		if err := os.CopyFS(filepath.Join(folder, needed), os.DirFS(filepath.Join(root, needed))); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "make", "build")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOCACHE="+filepath.Join(folder, "cache"), "HOSTS=", "MAKEFLAGS=", "MAKELEVEL=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, b := range builds {
		again, err := os.ReadFile(filepath.Join(folder, b.file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, read(t, b.file)) {
			t.Errorf("%s differs from the one built in another folder", b.file)
		}
	}
}
