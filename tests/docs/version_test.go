package docs

import (
	"regexp"
	"strings"
	"testing"
)

// Manifests and libraries repeat the version of the file VERSION, because their formats
// want it as text. Rust's library reads its manifest.
func TestOneVersion(t *testing.T) {
	version := strings.TrimSpace(read(t, "VERSION"))
	for file, pattern := range map[string]string{
		"CHANGELOG.md":                                `\A# Changelog\s+## (\S+)`,
		"docs/contract.md":                            `{"version":"(.*?)"`,
		"host-example/c/rostering/rostering.h":        `#define ROSTERING_VERSION "(.*)"`,
		"host-example/go/go.mod":                      `automatic-rostering.example/rostering v(\S+)`,
		"host-example/go/rostering/redisstore/go.mod": `automatic-rostering.example/rostering v(\S+)`,
		"host-example/go/rostering/version.go":        `Version = "(.*)"`,
		"host-example/java/pom.xml":                   `<artifactId>automatic-rostering</artifactId>\s*<version>(.*)</version>`,
		"host-example/java/README.md":                 `<version>(.*)</version>`,
		"host-example/java/package/pom.xml":           `<artifactId>automatic-rostering</artifactId>\s*<version>(.*)</version>`,
		"host-example/java/src/main/java/example/automaticrostering/Rostering.java": `VERSION = "(.*)"`,
		"host-example/node/rostering/README.md":                                     `automatic-rostering-(.*?)\.tgz`,
		"host-example/node/rostering/package.json":                                  `"version": "(.*)"`,
		"host-example/node/rostering/version.js":                                    `version = '(.*)'`,
		"host-example/python/rostering/README.md":                                   `automatic_rostering-(.*)-py3`,
		"host-example/python/rostering/__init__.py":                                 `__version__ = "(.*)"`,
		"host-example/rust/Cargo.toml":                                              `\[workspace.package\]\s*version = "(.*)"`,
		"host-example/rust/rostering/README.md":                                     `automatic-rostering-(.*)\.crate`,
		"plugin/internal/release/release.go":                                        `Version = "(.*)"`,
		"tests/scenarios/opening.json":                                              `{"version": "(.*?)"`,
		"README.md":                                                                 `automatic-rostering-(.*)\.tgz`,
	} {
		found := regexp.MustCompile(pattern).FindStringSubmatch(read(t, file))
		if found == nil || found[1] != version {
			t.Errorf("%s has %q, not the version %s", file, found, version)
		}
	}
}

// The contract's version is in the build, in its document and in each library.
func TestOneContract(t *testing.T) {
	found := regexp.MustCompile(`Contract = (.+)`).FindStringSubmatch(read(t, "plugin/internal/release/release.go"))
	if found == nil {
		t.Fatal("the plugin has no contract")
	}
	for file, pattern := range map[string]string{
		"docs/contract.md":                     `"contract":(\d+)}`,
		"host-example/c/rostering/rostering.h": `#define ROSTERING_CONTRACT (\d+)`,
		"host-example/go/rostering/version.go": `Contract = (\d+)`,
		"host-example/java/src/main/java/example/automaticrostering/Rostering.java": `CONTRACT = (\d+)`,
		"host-example/node/rostering/version.js":                                    `contract = (\d+)`,
		"host-example/python/rostering/contract.py":                                 `CONTRACT = (\d+)`,
		"host-example/rust/rostering/src/lib.rs":                                    `CONTRACT: u\d+ = (\d+)`,
	} {
		got := regexp.MustCompile(pattern).FindStringSubmatch(read(t, file))
		if got == nil || got[1] != found[1] {
			t.Errorf("%s has %q, not the contract %s", file, got, found[1])
		}
	}
}
