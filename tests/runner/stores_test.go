package runner

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

	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/protocol"
)

// One of many that add a key at the same time does, also through another store of the same place.
func TestAdding(t *testing.T) {
	t.Parallel()
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		if h.Name == "workerd" || h.Name == "c" { // as in the rule stores
			return
		}
		hosts.Require(t, "redis")
		redis, err := hosts.Redis()
		if err != nil {
			t.Fatal(err)
		}
		host, key := h.Start(t), fmt.Sprint("rostering:", t.Name(), os.Getpid())
		for url, places := range map[string]int{"memory:": 1, "file:" + t.TempDir(): 2, redis: 2} {
			for round := range 3 {
				var sent []*protocol.Pending
				for n := range 20 {
					store := map[string]string{"name": fmt.Sprint(key, url, n%places), "url": url}
					fields := map[string]any{"store": store, "do": "add", "key": fmt.Sprint(key, round), "value": "x", "ttl": 60}
					p, err := host.Send(protocol.Request{Op: "store", Fields: fields})
					if err != nil {
						t.Fatal(err)
					}
					sent = append(sent, p)
				}
				added := 0
				for _, p := range sent {
					a, err := p.Response()
					if err != nil || a.Error+a.Text != "" {
						t.Fatalf("%s: %+v, %v", url, a, err)
					}
					if a.JSON == true {
						added++
					}
				}
				if added != 1 {
					t.Errorf("%d of them added a key to %.7s", added, url)
				}
			}
		}
	})
}

// The file stores of all libraries that can use one without a client share the format in docs/fleet.md.
func TestFileStore(t *testing.T) { // before the parallel tests, as a store does not try long to replace a file
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		if h.Name == "workerd" || h.Name == "c" { // as in the rule stores
			return
		}
		host := h.Start(t)
		folder := filepath.Join(t.TempDir(), "[new]", "store")
		store := map[string]string{"name": t.Name(), "url": "file:" + folder}
		do := func(op, value string) any {
			fields := map[string]any{"store": store, "do": op, "key": "a", "value": value, "ttl": 3600}
			a, err := host.Do(protocol.Request{Op: "store", Fields: fields})
			if err != nil || a.Error+a.Text != "" {
				t.Fatalf("%s: %+v, %v", op, a, err)
			}
			return a.JSON
		}
		write := func(path, content string) {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		name := fmt.Sprintf("%x", sha256.Sum256([]byte("a")))
		path := filepath.Join(folder, name)
		before := time.Now().Add(time.Hour).UnixMilli()
		for range 3 {
			do("set", "sécret\n2")
		}
		content, err := os.ReadFile(path)
		if err != nil || !regexp.MustCompile(`^\d+\nsécret\n2$`).Match(content) || string(content) < fmt.Sprint(before) {
			t.Errorf("the file is %q, %v", content, err)
		}
		for path, want := range map[string]fs.FileMode{folder: 0o700, path: 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("the mode of %s is not %v: %v, %v", path, want, info, err)
			}
		}
		now, later := fmt.Sprint(time.Now().UnixMilli()-1), fmt.Sprint(time.Now().Add(time.Hour).UnixMilli())
		for content, want := range map[string]any{
			later + "\nvalue": "value", later + "\n": "", now + "\nexpired": nil, later: nil, "+" + later + "\nx": nil,
			later + "\n\xff": nil, "": nil,
		} {
			write(path, content)
			if got := do("get", ""); got != want {
				t.Errorf("after %q the value is %v", content, got)
			}
			added := do("add", "added")
			if added != (want == nil) || added != (do("get", "") == "added") {
				t.Errorf("after %q it was added: %v", content, added)
			}
		}
		// What cannot be replaced, as on Windows while another process reads it, is replaced a little later.
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
			t.Fatal(err)
		}
		go func() {
			for found := []string(nil); found == nil && t.Context().Err() == nil; time.Sleep(time.Millisecond) {
				found, _ = fs.Glob(os.DirFS(folder), "*.tmp.*")
			}
			time.Sleep(30 * time.Millisecond) // so that it fails once
			_ = os.Remove(path)
		}()
		do("set", "later")
		if got := do("get", ""); got != "later" {
			t.Errorf("a file that could not be replaced at first has the value %v", got)
		}
		// What processes that died have left is removed when it is old.
		young, old := path+".tmp.00", filepath.Join(folder, strings.Repeat("0", 64)+".tmp.01")
		write(young, "1")
		write(old, "1")
		past := time.Now().Add(-61 * time.Second)
		if err := os.Chtimes(old, past, past); err != nil {
			t.Fatal(err)
		}
		do("set", "1")
		var names []string
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got, want := strings.Join(names, " "), name+" "+filepath.Base(young); got != want {
			t.Errorf("the files are %s, not %s", got, want)
		}
	})
}
