package hosts

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWanted(t *testing.T) {
	t.Setenv("HOSTS", "go,python")
	for name, want := range map[string]bool{"go": true, "python": true, "c": false} {
		if Wanted(name) != want {
			t.Errorf("Wanted(%q) is %v", name, !want)
		}
	}
	t.Setenv("HOSTS", "go,pyton")
	defer func() {
		if recover() == nil {
			t.Error("an unknown name in HOSTS passes")
		}
	}()
	Wanted("go")
}

func TestLanguagesCoverHostExample(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(Root(), "host-example", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err == nil && info.IsDir() && filepath.Base(folder) != "ffi" { // the C library's users
			find(filepath.Base(folder)) // panics if it is missing
		}
	}
	for _, l := range languages() {
		if _, err := os.Stat(l.folder()); err != nil {
			t.Error(err)
		}
	}
}
