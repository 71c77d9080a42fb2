package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
)

func TestNoticesAreThoseOfTheBuild(t *testing.T) {
	var want strings.Builder
	if err := write(&want, hosts.Root()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(hosts.Root(), "THIRD_PARTY_NOTICES.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Error("THIRD_PARTY_NOTICES.md is not that of the build: run make notices")
	}
	for _, project := range []string{"go-pdk", "gjson", "match", "pretty", "TinyGo", "Go (standard library)", "musl"} {
		if !strings.Contains(want.String(), project) {
			t.Errorf("nothing is said of %s", project)
		}
	}
}
