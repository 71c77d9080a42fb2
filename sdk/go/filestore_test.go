package rostering_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
)

func openFileStore(t *testing.T, dir string) *rostering.FileStore {
	t.Helper()
	s, err := rostering.NewFileStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fileOfA is the name of the file for the key a.
var fileOfA = fmt.Sprintf("%x", sha256.Sum256([]byte("a")))

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if err != nil || strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the files are %q, %v, want %q", got, err, names)
	}
}

// The file stores of all languages share this format.
func TestFileStoreFormat(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[new]", "store")
	s := openFileStore(t, dir)
	path := filepath.Join(dir, fileOfA)
	before := time.Now().Add(time.Hour).UnixMilli()
	for range 3 {
		if err := s.Set(t.Context(), "a", "sécret\n2", time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	wantFiles(t, dir, fileOfA)
	content, err := os.ReadFile(path)
	if err != nil || !regexp.MustCompile(`^\d+\nsécret\n2$`).Match(content) || string(content) < fmt.Sprint(before) {
		t.Errorf("the file is %q, %v", content, err)
	}
	for path, want := range map[string]fs.FileMode{dir: 0o700, path: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("the mode of %s is %v, %v", path, info.Mode(), err)
		}
	}
	later := time.Now().Add(time.Hour).UnixMilli()
	for _, tt := range []struct {
		content, value string
		found          bool
	}{
		{fmt.Sprintf("%d\nvalue", later), "value", true},
		{fmt.Sprintf("%d\n", later), "", true},
		{fmt.Sprintf("%d\nexpired", time.Now().UnixMilli()-1), "", false},
		{fmt.Sprint(later), "", false},
		{fmt.Sprintf("+%d\nx", later), "", false},
		{fmt.Sprintf("%d\n\xff", later), "", false},
		{"", "", false},
	} {
		write(t, dir, fileOfA, tt.content)
		if got, found, err := s.Get(t.Context(), "a"); err != nil || got != tt.value || found != tt.found {
			t.Errorf("after %q the value is %q, %v, %v", tt.content, got, found, err)
		}
		added, err := s.Add(t.Context(), "a", "added", time.Hour)
		if got, _, _ := s.Get(t.Context(), "a"); err != nil || added == tt.found || added != (got == "added") {
			t.Errorf("after %q the value is %q, added: %v, %v", tt.content, got, added, err)
		}
	}
	wantFiles(t, dir, fileOfA)
}

func TestFileStoreAfterAProcessDied(t *testing.T) {
	dir := t.TempDir()
	s := openFileStore(t, dir)
	young := write(t, dir, fileOfA+".tmp.00", "1")
	old := write(t, dir, strings.Repeat("0", 64)+".tmp.01", "1")
	before := time.Now().Add(-61 * time.Second)
	if err := os.Chtimes(old, before, before); err != nil {
		t.Fatal(err)
	}
	if added, err := s.Add(t.Context(), "a", "1", time.Hour); err != nil || !added {
		t.Errorf("added: %v, %v", added, err)
	}
	wantFiles(t, dir, fileOfA, filepath.Base(young))
}

func TestFileStoreThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	if _, err := rostering.NewFileStore(write(t, dir, "file", "")); !errors.As(err, new(*fs.PathError)) || !strings.Contains(err.Error(), dir) {
		t.Errorf("the error is %v", err)
	}
	s := openFileStore(t, filepath.Join(dir, "store"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), "a", "1", time.Hour); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
}
