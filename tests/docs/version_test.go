package docs

import (
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering/tests/runner/hosts"
)

// Manifests and libraries repeat the version of the file VERSION, because their formats want it as a string. Rust's library reads
// its manifest. The contract's version is in the build, in its document and in each library.
func TestOneVersion(t *testing.T) {
	wantInEach(t, strings.TrimSpace(read(t, "VERSION")), map[string]string{
		"CHANGELOG.md":                   `\A# Changelog\s+## (\S+)`,
		"docs/contract.md":               `{"version":"(.*?)"`,
		"host-example/go/go.mod":         `automatic-rostering.example/rostering v(\S+)`,
		"host-example/java/pom.xml":      `<artifactId>automatic-rostering</artifactId>\s*<version>(.*)</version>`,
		"plugin/core/version/version.go": `version = "(.*)"`,
		"sdk/c/README.md":                `rostering-c-(.*?)-linux`,
		"sdk/c/Cargo.toml":               `(?m)^version = "(.*)"`,
		"sdk/go/redisstore/go.mod":       `automatic-rostering.example/rostering v(\S+)`,
		"sdk/go/README.md":               `rostering@v(\S+)`,
		"sdk/go/version.go":              `Version = "(.*)"`,
		"sdk/java/README.md":             `<artifactId>automatic-rostering</artifactId>\s*<version>(.*)</version>`,
		"sdk/java/pom.xml":               `<artifactId>automatic-rostering</artifactId>\s*<version>(.*)</version>`,
		"sdk/java/src/main/java/example/automaticrostering/RosteringClient.java": `VERSION = "(.*)"`,
		"sdk/javascript/README.md":                   `automatic-rostering-(.*?)\.tgz`,
		"sdk/javascript/package.json":                `"version": "(.*)"`,
		"sdk/javascript/src/version.js":              `version = '(.*)'`,
		"sdk/python/automatic_rostering/__init__.py": `__version__ = "(.*)"`,
		"sdk/rust/Cargo.toml":                        `(?m)^version = "(.*)"`,
		"sdk/rust/README.md":                         `automatic-rostering-(.*)\.crate`,
		"tests/rules/opening.yaml":                   `{version: (\S+),`,
	})
	contract := list{"plugin/core/version/version.go", whole, `contract = (.+)`}.read(t)[0]
	wantInEach(t, contract, map[string]string{
		"docs/contract.md":  `"contract":(\d+)}`,
		"sdk/go/version.go": `Contract = (\d+)`,
		"sdk/java/src/main/java/example/automaticrostering/RosteringClient.java": `CONTRACT = (\d+)`,
		"sdk/javascript/src/version.js":                                          `contract = (\d+)`,
		"sdk/python/automatic_rostering/plugin.py":                               `CONTRACT = (\d+)`,
		"sdk/rust/src/lib.rs":                                                    `CONTRACT: u\d+ = (\d+)`,
	})
}

// wantInEach demands that what the pattern of each file finds first is the version.
func wantInEach(t *testing.T, version string, patterns map[string]string) {
	t.Helper()
	for file, pattern := range patterns {
		if got := (list{file, whole, pattern}).read(t)[0]; got != version {
			t.Errorf("%s has %q, not the version %s", file, got, version)
		}
	}
}

// Each library's folder has the licenses of the top folder, because that is all that pip and the others take of a clone.
func TestOneLicense(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(hosts.Root(), "sdk/*/LICENSE"))
	if err != nil || len(folders) < 5 {
		t.Fatalf("licenses are in %q: %v", folders, err)
	}
	for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES.md"} {
		for _, found := range folders {
			file, err := filepath.Rel(hosts.Root(), filepath.Join(filepath.Dir(found), name))
			if err != nil {
				t.Fatal(err)
			}
			if read(t, file) != read(t, name) {
				t.Errorf("%s is not that of the top folder: make notices", file)
			}
		}
	}
}

// tools/rename.sh leaves no old name, and every import of Go still leads somewhere: make release-check builds all.
func TestRename(t *testing.T) {
	run(t, `cd "$ROOT"
		git ls-files -co --exclude-standard -z | tar --null -T - -c --ignore-failed-read | tar -x -C "$EMPTY"
		cd "$EMPTY"
		commit() { git add -A && git -c user.name=a -c user.email=a@b.invalid commit -qm "$1"; }
		git init -q && commit all
		tools/rename.sh acme/automatic-rostering com.acme.rostering acme-rostering
		commit renamed
		for folder in plugin sdk/go sdk/go/redisstore sandbox host-example/go tests; do (cd "$folder" && go list -deps ./... >/dev/null); done
		! git ls-files | grep -i 'automatic.\?rostering'
		grep -q '<groupId>com.acme.rostering</groupId>' sdk/java/pom.xml
		ls sdk/java/src/main/java/com/acme/rostering/RosteringClient.java`)
}
