package docs

import (
	"strings"
	"testing"
)

// versioned are files that repeat the version of the file VERSION, because their formats want it as a string. Rust's library reads
// its manifest. The rule plugin wants the contract's version of each library.
const versioned = `CHANGELOG.md README.md docs/contract.md docs/contract.schema.json host-example/go/go.mod host-example/java/pom.xml
	plugin/core/version/version.go sdk/c/Cargo.toml sdk/c/README.md sdk/go/README.md sdk/go/redisstore/go.mod sdk/go/version.go
	sdk/java/README.md sdk/java/pom.xml sdk/java/src/main/java/example/automaticrostering/RosteringClient.java
	sdk/javascript/README.md sdk/javascript/package.json sdk/javascript/src/version.js sdk/python/automatic_rostering/__init__.py
	sdk/rust/Cargo.toml sdk/rust/README.md tests/rules/opening.yaml`

func TestOneVersion(t *testing.T) {
	want := strings.TrimSpace(read(t, "VERSION"))
	for file := range strings.FieldsSeq(versioned) {
		const first = `(?i)(?:\bversion|version__|rostering|changelog|status)\D{1,30}?(\d+\.\d+\.\d+)`
		if got := (list{file, whole, first}).read(t)[0]; got != want {
			t.Errorf("%s has %q, not the version %s", file, got, want)
		}
	}
}

// Each library's folder has the licenses of the top folder, because that is all that pip and the others take of a clone. Go takes
// the whole repository.
func TestOneLicense(t *testing.T) {
	for language := range options {
		for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES.md"} {
			if language != "c" && language != "go" && read(t, "sdk/"+language+"/"+name) != read(t, name) {
				t.Errorf("%s of sdk/%s is not that of the top folder: make notices", name, language)
			}
		}
	}
}

// tools/rename.sh leaves no old name, and every import of Go still leads somewhere: make release-check builds all.
func TestRename(t *testing.T) {
	run(t, repository+`tools/rename.sh acme/automatic-rostering com.acme.rostering acme-rostering
		git add -A
		for folder in . sdk/go/redisstore sandbox host-example/go tests; do (cd "$folder" && go list -deps ./... >/dev/null); done
		! git ls-files | grep -i 'automatic.\?rostering'
		grep -q '<groupId>com.acme.rostering</groupId>' sdk/java/pom.xml
		ls sdk/java/src/main/java/com/acme/rostering/RosteringClient.java`)
}
