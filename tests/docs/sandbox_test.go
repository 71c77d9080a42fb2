package docs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"automatic-rostering/tests/conformance/hosts"
)

const sandboxPage = "docs/sandbox.md"

// frameworks are the tests of the page, by their headings. Each runs in a project of its reader, in an empty folder: prepare
// makes it, and sets variables. The command prints passed if it has run one test.
var frameworks = map[string]struct{ host, verb, prepare, passed string }{
	"pytest": {"python", "setup", `
		python=$ROOT/sdk/python/.venv/bin/python tools=$ROOT/build/pytest
		[ -x "$tools/bin/pytest" ] || "$python" -m pip install --quiet --disable-pip-version-check --target "$tools" pytest==9.0.1
		export PYTHONPATH=$tools PATH=$tools/bin:$PATH`, "1 passed"},
	"node:test": {"node", "setup", `
		mkdir node_modules
		ln -s "$ROOT/sdk/javascript" node_modules/automatic-rostering`, "pass 1"},
	"go test": {"go", "", `
		cp "$ROOT"/sdk/go/go.sum .
		go mod init example.com/jobs
		go mod edit -require=automatic-rostering.example/rostering@v0.0.0 -replace="automatic-rostering.example/rostering=$ROOT/sdk/go"
		export GOFLAGS=-mod=mod`, "ok  \texample.com/jobs"},
	"JUnit": {"java", "adapter", `
		export DIST=$ROOT/sdk/java/target/adapter MAVEN_OPTS="-Dmaven.repo.local=$ROOT/sdk/java/target/adapter/local"
		cat >pom.xml <<-'EOF'
			` + pom + `
		EOF`, "Tests run: 1, Failures: 0, Errors: 0, Skipped: 0"},
	"cargo": {"rust", "setup", `
		export CARGO_TARGET_DIR=$ROOT/sdk/rust/target
		cp "$ROOT/sdk/rust/Cargo.lock" .
		cat >Cargo.toml <<-EOF
			[package]
			name = "jobs"
			edition = "2024"
			[dependencies]
			automatic-rostering = { path = "$ROOT/sdk/rust", features = ["blocking"] }
			[dev-dependencies]
			ureq = { version = "3", default-features = false }
		EOF
		mkdir src
		touch src/lib.rs`, "test busy ... ok"},
}

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
	<modelVersion>4.0.0</modelVersion><groupId>com.example</groupId><artifactId>jobs</artifactId><version>1</version>
	<properties>
		<maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
		<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
	</properties>
	<repositories><repository><id>automatic-rostering</id><url>file://${env.DIST}/maven</url></repository></repositories>
	<dependencies>
		<dependency><groupId>example.automaticrostering</groupId><artifactId>automatic-rostering</artifactId><version>0.1.0</version></dependency>
		<dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.13.4</version></dependency>
	</dependencies>
	<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.4</version></plugin></plugins></build>
</project>`

// Each test of the page passes as it stands, once over plain HTTP and once over TLS.
func TestSandboxPageTests(t *testing.T) {
	page := read(t, sandboxPage)
	for _, section := range strings.Split(sections(page, "Tests"), "\n### ")[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		f, ok := frameworks[heading]
		if !ok {
			t.Errorf("nothing runs the test of %s", heading)
			continue
		}
		t.Run(heading, func(t *testing.T) {
			if !hosts.Wanted(f.host) {
				t.Skip("not in HOSTS")
			}
			t.Parallel()
			if f.verb != "" {
				hosts.Setup(t, f.host, f.verb)
			}
			script, err := copied(body)
			if err != nil {
				t.Fatal(err)
			}
			secure := strings.Replace(script, "rostering-sandbox ", "rostering-sandbox -tls tls ", 1)
			if heading == "JUnit" {
				secure = blockWith(t, page, "keytool")
			}
			out := inSandboxProject(t, f.prepare+"\n"+script+"\n"+secure)
			if strings.Count(out, f.passed) != 2 {
				t.Errorf("the test did not pass twice:\n%s", out)
			}
		})
	}
}

// The requests to the controls work as they stand.
func TestSandboxPageControls(t *testing.T) {
	requests := strings.ReplaceAll(blockWith(t, read(t, sandboxPage), "curl"), "curl ", "curl --no-progress-meter --fail ")
	out := inSandboxProject(t, "cat >controls <<'EOF'\n"+requests+"\nEOF\nrostering-sandbox bash -euo pipefail controls")
	for _, want := range []string{`"stage":"`, `{"token_requests":0,"job_requests":0}`, "\n[]\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}

// blockWith returns the first block of commands that has a word.
func blockWith(t *testing.T, page, word string) string {
	t.Helper()
	for _, found := range regexp.MustCompile("(?s)\n```sh\n(.*?)\n```").FindAllStringSubmatch(page, -1) {
		if strings.Contains(found[1], word) {
			return found[1]
		}
	}
	t.Fatalf("no block has %s", word)
	return ""
}

// inSandboxProject runs a script in an empty folder, with rostering-sandbox, and returns its output.
func inSandboxProject(t *testing.T, script string) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "rostering-sandbox"), "automatic-rostering.example/sandbox/cmd/rostering-sandbox")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	command.Dir, command.WaitDelay = t.TempDir(), 10*time.Second
	command.Env = append(os.Environ(), "ROOT="+hosts.Root(), "PATH="+bin+":"+os.Getenv("PATH"), "NO_PROXY=127.0.0.1")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s\n%s", err, script, out)
	}
	return string(out)
}
