package suite

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

	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
)

// inGo reports whether the Go library plays a case when it is broken; slow ones take too long.
func inGo(row *Row, c *Case) bool {
	return !c.Slow && !hosts.Library("go").Differs(row.Differences) && !hosts.Library("go").Differs(c.Differences)
}

// Each row that the Go library plays has patches, and they fit its sources.
func TestEveryRowHasAPatch(t *testing.T) {
	for _, row := range load(t) {
		played := false
		for _, c := range row.Cases {
			played = played || inGo(&row, &c)
		}
		if has := len(row.Broken) > 0; has != played {
			t.Errorf("%s: that it has patches is %v, and that the Go library plays it %v", row.Name, has, played)
		}
		for i, p := range row.Broken {
			source, err := os.ReadFile(filepath.Join(hosts.Root(), p.File))
			switch {
			case err != nil:
				t.Errorf("%s, patch %d: %v", row.Name, i+1, err)
			case p.From == p.To || strings.Count(string(source), p.From) != 1:
				t.Errorf("%s, patch %d: its from occurs %d times in %s; change it with the library", row.Name, i+1, strings.Count(string(source), p.From), p.File)
			}
		}
	}
}

// A row whose cases all hold for a library that breaks its rule shows nothing. BROKEN is the row that is tried, or all.
// It prints why each patch makes a case fail.
func TestBroken(t *testing.T) {
	name := os.Getenv("BROKEN")
	if name == "" {
		t.Skip("make broken runs it")
	}
	patience := held.Patience
	t.Cleanup(func() { held.Patience = patience })
	held.Patience = 5 * time.Second // a broken library may hang
	whole := startPatched(t, nil)
	whole.Bound = patience
	rows := slices.DeleteFunc(load(t), func(r Row) bool { return len(r.Broken) == 0 || name != "all" && name != r.Name })
	if len(rows) == 0 {
		t.Fatalf("no row %s has a patch", name)
	}
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			if wrong := playOn(t, whole, &row); wrong != "" {
				t.Fatalf("without a patch: %s", wrong)
			}
			for i, p := range row.Broken {
				t.Run(fmt.Sprint(i+1), func(t *testing.T) {
					wrong := playOn(t, startPatched(t, &p), &row)
					if wrong == "" {
						t.Fatalf("it holds with %q in %s", p.To, p.File)
					}
					fmt.Printf("%s %d: %.160s\n", row.Name, i+1, strings.ReplaceAll(wrong, "\n", " "))
				})
			}
		})
	}
}

// playOn plays cases of a row until one fails, and returns why, or nothing.
func playOn(t *testing.T, adapter *protocol.Process, row *Row) string {
	runner := Runner{Adapter: adapter, Redis: redis}
	for _, c := range row.Cases {
		if !inGo(row, &c) {
			continue
		}
		for name, kind := range c.kinds() {
			if wrong := runner.fails(t, t.Name()+"/"+name, kind, &c); wrong != "" {
				return name + ": " + wrong
			}
		}
	}
	return ""
}

// startPatched starts the Go library's adapter, with a patch of the library if there is one.
func startPatched(t *testing.T, patch *Patch) *protocol.Process {
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
	p.Bound, p.Grace = held.Patience, time.Second
	t.Cleanup(func() { _ = p.Close() }) // it may end in any way
	return p
}
