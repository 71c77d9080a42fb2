package hosts

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The scripts take each language, or runtime of JavaScript, from a list.
func TestList(t *testing.T) {
	list, err := os.ReadFile(Root() + "/tools/languages.txt")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, h := range players {
		folders = append(folders, h.Folder)
	}
	if listed := strings.Fields(string(list)); !slices.Equal(listed, slices.Compact(folders)) {
		t.Errorf("tools/languages.txt has %q, and the players are of %q", listed, folders)
	}
}

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
