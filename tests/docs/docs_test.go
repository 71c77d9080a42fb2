// Package docs holds what the documents say against what is built.
package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	extism "github.com/extism/go-sdk"

	"automatic-rostering/tests/conformance/contract"
	"automatic-rostering/tests/conformance/hosts"
)

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(hosts.Root(), file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTablesAreThoseOfTheSchema(t *testing.T) {
	listed, codes, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, key := range listed {
		keys = append(keys, key.Name)
	}
	exports := []string{"begin", "resume", "request", "explain", "get_token", "list_jobs", "send_request", "set_token", "clear_token", "check", "version"}
	for _, table := range []struct {
		head  string
		names []string
		pages []string
	}{
		{"| code |", codes, []string{"docs/errors.md", "docs/contract.md"}},
		{"| key | required |", keys, []string{"docs/contract.md"}},
		{"| export |", exports, []string{"docs/contract.md"}},
	} {
		for _, page := range table.pages {
			compare(t, page+", "+table.head, firstColumn(t, read(t, page), table.head), table.names)
		}
	}
}

// firstColumn returns the names in the first column of the table that begins so.
func firstColumn(t *testing.T, text, head string) (names []string) {
	t.Helper()
	_, table, found := strings.Cut(text, "\n"+head)
	if !found {
		t.Fatalf("there is no table %s", head)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range strings.Split(table, "\n")[2:] {
		cell := strings.Split(row, "|")[1]
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cell, -1) {
			names = append(names, name[1])
		}
	}
	return names
}

func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: the table has %q, not %q", what, got, want)
	}
}

func TestSizeInTheREADME(t *testing.T) {
	info, err := os.Stat(filepath.Join(hosts.Root(), "dist/rostering.wasm"))
	if err != nil {
		t.Fatalf("%v: run make build", err)
	}
	if want := fmt.Sprintf("one WebAssembly file of %d KB", (info.Size()+500)/1000); !strings.Contains(read(t, "README.md"), want) {
		t.Errorf("README.md does not say %q", want)
	}
}

func TestManifestToCopy(t *testing.T) {
	var m extism.Manifest
	if err := json.Unmarshal([]byte(read(t, "docs/manifest.json")), &m); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"auth_url", "base_url"} {
		host := strings.TrimPrefix(m.Config[key], "https://")
		if !slices.Contains(m.AllowedHosts, host) {
			t.Errorf("%s of %s is not in allowed_hosts", host, key)
		}
	}
	if len(m.Wasm) != 1 {
		t.Errorf("it has %d files", len(m.Wasm))
	}
}
