package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"automatic-rostering.example/rostering"
)

const top = "../../.."

func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := strings.CutPrefix(path, folder+"/")
		files[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// copyTop copies what is published, so that its files are at other paths and have other times.
func copyTop(t *testing.T) string {
	t.Helper()
	copied := t.TempDir()
	for _, name := range []string{"VERSION", "LICENSE", "THIRD_PARTY_NOTICES.md", "dist/" + plugin} {
		content, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(copied, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"sdk/go", "sandbox"} {
		if err := os.CopyFS(filepath.Join(copied, dir), os.DirFS(filepath.Join(top, dir))); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

func TestPublish(t *testing.T) {
	first, second, third := t.TempDir(), t.TempDir(), t.TempDir()
	for _, from := range []struct{ top, folder string }{{top, first}, {top, second}, {copyTop(t), third}, {top, third}} {
		if err := publish(from.top, from.folder); err != nil {
			t.Fatal(err)
		}
	}
	got := contents(t, first)
	for _, folder := range []string{second, third} {
		for name, content := range contents(t, folder) {
			if content != got[name] {
				t.Errorf("%s is not reproducible", name)
			}
		}
	}
	const module = "automatic-rostering.example/rostering/@v/"
	version := "v" + rostering.Version
	if got[module+"list"] != version+"\n" || got[module+version+".info"] != `{"Version":"`+version+`","Time":"2026-01-01T00:00:00Z"}` {
		t.Errorf("list is %q, the info %s", got[module+"list"], got[module+version+".info"])
	}
	archive := got[module+version+".zip"]
	inside := names(t, archive, "automatic-rostering.example/rostering@"+version)
	for _, want := range []string{"go.mod", "client.go", "wasm/" + plugin, "LICENSE", "THIRD_PARTY_NOTICES.md", "README.md"} {
		if !slices.Contains(inside, want) {
			t.Errorf("%s is not in the module", want)
		}
	}
	for _, name := range inside {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "redisstore") || strings.Contains(name, ".git") {
			t.Errorf("%s is in the module", name)
		}
	}
	const store = "automatic-rostering.example/rostering/redisstore/@v/"
	if got[store+version+".zip"] == "" || len(got) != 12 {
		t.Errorf("%d files were written", len(got))
	}
	if want := "automatic-rostering.example/rostering " + version + "\n"; !strings.Contains(got[store+version+".mod"], want) {
		t.Errorf("redisstore does not require %s", want)
	}
	const sandbox = "automatic-rostering.example/sandbox"
	inside = names(t, got[sandbox+"/@v/"+version+".zip"], sandbox+"@"+version)
	for _, want := range []string{"go.mod", "go.sum", "sandbox.go", "page.html", "cmd/rostering-sandbox/main.go", "LICENSE"} {
		if !slices.Contains(inside, want) {
			t.Errorf("%s is not in the sandbox's module", want)
		}
	}
}

// names are those of the files in an archive of a module.
func names(t *testing.T, archive, module string) (all []string) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader([]byte(archive)), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		all = append(all, strings.TrimPrefix(f.Name, module+"/"))
	}
	return all
}

func TestAnOlderPluginIsNotPublished(t *testing.T) {
	copied := copyTop(t)
	for _, dir := range []string{"dist", sources[0].dir + "/wasm"} {
		if err := os.WriteFile(filepath.Join(copied, dir, plugin), []byte(dir), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := publish(copied, t.TempDir()); err == nil || !strings.Contains(err.Error(), "make build") {
			t.Errorf("the error is %v", err)
		}
	}
}
