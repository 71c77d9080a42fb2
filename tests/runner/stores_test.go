package runner

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/play"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
)

// storeUser uses a store through an adapter.
type storeUser struct {
	testing.TB
	host  *play.Player
	store protocol.Store
}

func (u storeUser) begin(op, key, value string) *protocol.Pending {
	u.Helper()
	p, err := u.host.Send(protocol.Request{Op: "store", Open: protocol.Open{Store: &u.store}, Do: op, Key: key, Value: value, TTL: 3600})
	if err != nil {
		u.Fatal(err)
	}
	return p
}

func (u storeUser) do(op, key, value string) protocol.Response {
	u.Helper()
	a, err := u.begin(op, key, value).Response()
	if err != nil || a.Trap+a.Error+a.Misuse != "" {
		u.Fatalf("%s: %+v, %v", op, a, err)
	}
	return a
}

// eachStoreUser calls f with each library that can use its stores without a client.
func eachStoreUser(t *testing.T, f func(t *testing.T, host *play.Player)) {
	rules := load(t)
	i := slices.IndexFunc(rules, func(r rule.Rule) bool { return r.Name == "stores" })
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		if !h.Differs(rules[i].Cases[0].Differences) {
			f(t, h.Start(t))
		}
	})
}

// Of many that add a key at the same time, also through another store of the same place, one does.
func TestConcurrentAdds(t *testing.T) {
	eachStoreUser(t, func(t *testing.T, host *play.Player) {
		for _, kind := range []string{"memory", "folder", "redis"} {
			store := protocol.Store{Name: t.Name() + kind, Kind: kind, Folder: t.TempDir()}
			if kind == "redis" {
				store.URL = redisURL(t)
			}
			one := storeUser{t, host, store}
			other := one
			if kind != "memory" {
				other.store.Name += " again"
			}
			for round := range 10 {
				key := fmt.Sprintf("rostering:%s:%d", t.Name(), round)
				var adds []*protocol.Pending
				for n := range 10 {
					adds = append(adds, one.begin("add", key, fmt.Sprint(n)), other.begin("add", key, fmt.Sprint(n)))
				}
				added := 0
				for _, p := range adds {
					if a, err := p.Response(); err != nil || a.Added == nil {
						t.Fatalf("%s: %+v, %v", kind, a, err)
					} else if *a.Added {
						added++
					}
				}
				if added != 1 {
					t.Errorf("%s: %d of them added it", kind, added)
				}
			}
		}
	})
}

// The file stores of all libraries share the format in docs/fleet.md.
func TestFileStore(t *testing.T) {
	eachStoreUser(t, func(t *testing.T, host *play.Player) {
		folder := filepath.Join(t.TempDir(), "[new]", "store")
		u := storeUser{t, host, protocol.Store{Name: t.Name(), Kind: "folder", Folder: folder}}
		name := fmt.Sprintf("%x", sha256.Sum256([]byte("a")))
		path := filepath.Join(folder, name)
		before := time.Now().Add(time.Hour).UnixMilli()
		for range 3 {
			u.do("set", "a", "sécret\n2")
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
			write(t, path, tt.content)
			if a := u.do("get", "a", ""); (a.Value != nil) != tt.found || tt.found && *a.Value != tt.value {
				t.Errorf("after %q the value is %v", tt.content, a.Value)
			}
			added := u.do("add", "a", "added").Added
			if a := u.do("get", "a", ""); added == nil || *added == tt.found || *added != (a.Value != nil && *a.Value == "added") {
				t.Errorf("after %q it was added: %v", tt.content, added)
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
		u.do("set", "a", "later")
		if a := u.do("get", "a", ""); a.Value == nil || *a.Value != "later" {
			t.Errorf("a file that could not be replaced at first has the value %v", a.Value)
		}
		// What processes that died have left is removed when it is old.
		young, old := path+".tmp.00", filepath.Join(folder, strings.Repeat("0", 64)+".tmp.01")
		write(t, young, "1")
		write(t, old, "1")
		past := time.Now().Add(-61 * time.Second)
		if err := os.Chtimes(old, past, past); err != nil {
			t.Fatal(err)
		}
		u.do("set", "a", "1")
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

func redisURL(t testing.TB) string {
	t.Helper()
	hosts.RequireRedis(t)
	url, err := hosts.Redis()
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
