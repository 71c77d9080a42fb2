package runner

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/play"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
	"automatic-rostering/tests/runner/world"
)

// inGo reports whether the Go library plays a case when it is broken; slow ones take too long.
func inGo(r *rule.Rule, c *rule.Case) bool {
	return !c.Slow && plays(hosts.Library("go"), r, c)
}

// Each rule of the libraries that the Go library plays has patches, and they fit its sources.
func TestEveryRuleHasAPatch(t *testing.T) {
	for _, r := range load(t) {
		if r.Text == "" {
			continue
		}
		played := false
		for _, c := range r.Cases {
			played = played || inGo(&r, &c)
		}
		if has := len(r.Broken) > 0; has != played {
			t.Errorf("%s: that it has patches is %v, and that the Go library plays it %v", r.Name, has, played)
		}
		for i, p := range r.Broken {
			source, err := os.ReadFile(filepath.Join(hosts.Root(), p.File))
			switch {
			case err != nil:
				t.Errorf("%s, patch %d: %v", r.Name, i+1, err)
			case p.From == p.To || strings.Count(string(source), p.From) != 1:
				t.Errorf("%s, patch %d: its from occurs %d times in %s; change it with the library", r.Name, i+1, strings.Count(string(source), p.From), p.File)
			}
		}
	}
}

// A rule whose cases all hold for a library that breaks it shows nothing. BROKEN is the rule that is tried, or all.
// It prints why each patch makes a case fail.
func TestBroken(t *testing.T) {
	name := os.Getenv("BROKEN")
	if name == "" {
		t.Skip("make broken runs it")
	}
	patience := world.Patience
	t.Cleanup(func() { world.Patience = patience })
	world.Patience = 5 * time.Second // a broken library may hang
	whole := startPatched(t, nil)
	whole.Bound = patience
	rules := slices.DeleteFunc(load(t), func(r rule.Rule) bool { return len(r.Broken) == 0 || name != "all" && name != r.Name })
	if len(rules) == 0 {
		t.Fatalf("no rule %s has a patch", name)
	}
	for _, r := range rules {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			if wrong := playOn(t, whole, &r); wrong != "" {
				t.Fatalf("without a patch: %s", wrong)
			}
			for i, p := range r.Broken {
				t.Run(fmt.Sprint(i+1), func(t *testing.T) {
					wrong := playOn(t, startPatched(t, &p), &r)
					if wrong == "" {
						t.Fatalf("it holds with %q in %s", p.To, p.File)
					}
					fmt.Printf("%s %d: %.160s\n", r.Name, i+1, strings.ReplaceAll(wrong, "\n", " "))
				})
			}
		})
	}
}

// playOn plays cases of a rule until one fails, and returns why, or nothing.
func playOn(t *testing.T, adapter *protocol.Process, r *rule.Rule) string {
	player := play.Player{Adapter: adapter, Process: adapter, Library: true, Redis: hosts.Redis}
	for _, c := range r.Cases {
		if !inGo(r, &c) {
			continue
		}
		for name, kind := range kinds(&c) {
			w := world.New()
			err := player.Case(w, &c, kind)
			w.Close()
			if err != nil {
				return fmt.Sprintf("%s: %v", name, err)
			}
		}
	}
	return ""
}

// startPatched starts the Go library's adapter, with a patch of the library if there is one.
func startPatched(t *testing.T, patch *rule.Patch) *protocol.Process {
	t.Helper()
	folder, replace := t.TempDir(), map[string]string{}
	if patch != nil {
		file, patched := filepath.Join(hosts.Root(), patch.File), filepath.Join(folder, "patched.go")
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		write(t, patched, strings.Replace(string(source), patch.From, patch.To, 1))
		replace[file] = patched
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "overlay.json"), string(overlay))
	build := exec.Command("go", "build", "-overlay", filepath.Join(folder, "overlay.json"), "-o", filepath.Join(folder, "adapter"), ".")
	build.Dir = filepath.Join(hosts.Root(), "tests/adapters/go")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	host := hosts.Library("go")
	host.Command = []string{filepath.Join(folder, "adapter")}
	p, err := host.Process(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p.Bound, p.Grace = world.Patience, time.Second
	t.Cleanup(func() { _ = p.Close() }) // it may end in any way
	return p
}
