package hosts

import "testing"

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
