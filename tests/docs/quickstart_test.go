package docs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"automatic-rostering/tests/conformance/hosts"
)

// A reader who has made the packages copies the sections Install and Quick start of a page into an empty folder, block by
// block, and has jobs. Nothing of this project is on the PATH: what the page says brings the sandbox.
func TestQuickStart(t *testing.T) {
	if os.Getenv("PACKAGES") != "made" {
		t.Skip("make test-packages runs this test")
	}
	t.Parallel()
	if found, err := exec.LookPath("rostering-sandbox"); err == nil {
		t.Fatalf("%s is on the PATH: a page that does not say how to get it would pass", found)
	}
	env := []string{
		"DIST=" + filepath.Join(hosts.Root(), "dist"),
		"CARGO_TARGET_DIR=" + filepath.Join(hosts.Root(), "sdk/rust/target"), // has the dependencies, compiled
	}
	for page, host := range map[string]string{"c": "c", "go": "go", "java": "java", "javascript": "node", "python": "python", "rust": "rust"} {
		t.Run(page, func(t *testing.T) {
			if !hosts.Wanted(host) {
				t.Skip("not in HOSTS")
			}
			t.Parallel()
			if host != "go" {
				hosts.Setup(t, host, "setup")
			}
			if page == "java" {
				forgetPackage(t)
			}
			variables := env
			if page == "go" {
				// A new module cache, so that an earlier build of the same version does not count. What others published
				// comes from the usual one; with -trimpath the build cache recognizes what the package's test has compiled.
				cache, proxies := goEnv(t, "GOMODCACHE"), goEnv(t, "GOPROXY")
				variables = append([]string{
					"GOMODCACHE=" + t.TempDir(), "GOFLAGS=-modcacherw -trimpath", "GOPROXY=file://" + cache + "/cache/download," + proxies,
				}, env...)
			}
			mustList(t, "sdk/"+page+"/README.md", t.TempDir(), variables, "Install", "Quick start")
		})
	}
}

// Use it, in README.md, begins in a clone.
func TestQuickStartOfTheREADME(t *testing.T) {
	if os.Getenv("PACKAGES") != "made" || !hosts.Wanted("python") {
		t.Skip("make test-packages runs this test")
	}
	t.Parallel()
	hosts.Setup(t, "python", "setup")
	top := t.TempDir()
	clone := filepath.Join(top, "clone")
	// With what make build has made, and the times of all files, so that it need not be made again.
	script := `mkdir clone
		(cd "$ROOT" && { git ls-files -co --exclude-standard -z ; find build -maxdepth 1 ! -type d -print0 ; printf 'dist/%s\0' rostering.wasm rostering-nowasi.wasm ; } |
			tar --null -T - -c --ignore-failed-read) | tar -x -C clone
		touch clone/dist/*`
	command := exec.Command("bash", "-euo", "pipefail", "-c", script)
	command.Dir, command.Env = top, append(os.Environ(), "ROOT="+hosts.Root())
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The usual module cache: what was built needs its modules there. None of this project's is among them.
	env := []string{"GOMODCACHE=" + goEnv(t, "GOMODCACHE"), "GOPATH=" + filepath.Join(top, "go"), "GOBIN=", "MAKEFLAGS="}
	mustList(t, "README.md", clone, env, "Use it")
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(value))
}

// forgetPackage removes what Maven has of an earlier build of the same version, now and after the test.
func forgetPackage(t *testing.T) {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	forget := func() { _ = os.RemoveAll(filepath.Join(home, ".m2/repository/example/automaticrostering")) }
	forget()
	t.Cleanup(forget)
}

// mustList does in a folder what sections of a page say.
func mustList(t *testing.T, page, folder string, env []string, names ...string) {
	t.Helper()
	script, err := copied(sections(read(t, page), names...))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	command.Dir, command.Env, command.WaitDelay = folder, append(os.Environ(), env...), 10*time.Second
	out, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "sandbox-job-1") {
		t.Errorf("%v: %s\n%s", err, script, out)
	}
}

var (
	fenced = regexp.MustCompile("(?s)^```([a-z]+)\n(.*?)\n```$")
	named  = regexp.MustCompile("`([^` ]+)`:$")
)

// copied returns the blocks of a page as one script. A block of a file becomes that file: the line before the block ends in the
// name, with a colon behind it.
func copied(text string) (script string, err error) {
	const end = "END-OF-THE-FILE"
	var name string
	for _, part := range paragraphs(text) {
		found := fenced.FindStringSubmatch(part)
		switch {
		case found == nil && strings.HasPrefix(part, "<!--"):
			continue
		case found == nil:
			name = ""
			if file := named.FindStringSubmatch(part); file != nil {
				name = file[1]
			}
			continue
		case name != "" && !filepath.IsLocal(name):
			return "", fmt.Errorf("%s is outside of the folder", name)
		case name != "":
			script += fmt.Sprintf("mkdir -p '%s'\ncat >'%s' <<'%s'\n%s\n%s\n", filepath.Dir(name), name, end, found[2], end)
		case found[1] == "sh":
			script += found[2] + "\n"
		default:
			return "", fmt.Errorf("no file is named for this block:\n%s", part)
		}
		name = ""
	}
	return script, nil
}

// paragraphs splits a page's text at its empty lines, but not within a block. A comment is a paragraph.
func paragraphs(text string) (parts []string) {
	inside, last := false, ""
	end := func() {
		if last = strings.TrimSpace(last); last != "" {
			parts = append(parts, last)
		}
		last = ""
	}
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(line, "```")
		if !inside && (fence || line == "\n" || strings.HasPrefix(line, "<!--")) {
			end()
		}
		last += line
		if fence && inside || !inside && strings.HasPrefix(line, "<!--") {
			end()
		}
		inside = inside != fence
	}
	end()
	return parts
}

// sections returns those of a page, without their headings.
func sections(text string, names ...string) (found string) {
	for _, section := range strings.Split("\n"+text, "\n## ")[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		for _, name := range names {
			if heading == name {
				found += body + "\n"
			}
		}
	}
	return found
}
