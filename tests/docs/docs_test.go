// Package docs holds what the pages say against what is built, and does what they tell their readers to do: Install and Quick start
// of README.md and of each language's page, the programs of docs/plugin.md and docs/contract.md, the controls and tests of
// docs/sandbox.md, the stores of docs/fleet.md. What costs more than it shows was followed by hand, on 2026-11-24:
// docs/operations.md (gunicorn, gevent, Celery, Django, Spring Boot, trio, proxies), Redis Cluster and Sentinel, the Redis user of
// SECURITY.md, host-example/workerd with Wrangler, and the commands of CONTRIBUTING.md.
package docs

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/rostering/tests/runner/hosts"
)

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(hosts.Root(), file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sections returns those of a page, without their headings, which begin with level.
func sections(text, level string, names ...string) (found string) {
	for _, section := range strings.Split("\n"+text, "\n"+level+" ")[1:] {
		if heading, body, _ := strings.Cut(section, "\n"); slices.Contains(names, heading) {
			found += body + "\n"
		}
	}
	return found
}

// block is one of code, with the name of its file if the line before it ends in that and a colon.
var block = regexp.MustCompile("(?s)(?:`([^` \n]+)`:\n\n)?(?:<!--[^\n]*-->\n)*```([a-z]+)\n(.*?\n)```\n")

// copied returns the blocks of a text as one script. A block of a file becomes that file; the others are commands.
func copied(t *testing.T, text string) (script string) {
	t.Helper()
	for _, found := range block.FindAllStringSubmatch(text, -1) {
		switch name, language, code := found[1], found[2], found[3]; {
		case name != "" && filepath.IsLocal(name):
			script += fmt.Sprintf("mkdir -p '%s'\ncat >'%s' <<'END-OF-THE-FILE'\n%sEND-OF-THE-FILE\n", filepath.Dir(name), name, code)
		case name == "" && language == "sh":
			script += code
		default:
			t.Fatalf("no file in this folder is named for the block:\n%s", found[0])
		}
	}
	return script
}

// TestMain has rostering-sandbox on the PATH.
func TestMain(m *testing.M) {
	bin := filepath.Join(hosts.Root(), "build", "bin")
	build := exec.Command("go", "build", "-C", filepath.Join(hosts.Root(), "sandbox"), "-o", bin+"/", "./cmd/rostering-sandbox")
	if out, err := build.CombinedOutput(); err != nil {
		log.Fatalf("%v: %s", err, out)
	}
	_ = os.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	os.Exit(m.Run())
}

// repository begins a script that has a copy of the repository, with what is not committed, as the commit of a clean clone.
const repository = `git -C "$ROOT" ls-files -co --exclude-standard -z | tar -C "$ROOT" --null -T - -c --ignore-failed-read | tar -x
git init -q
git add -A
git -c user.name=a -c user.email=a@b.invalid commit -qm all
`

// run runs a script in an empty folder, and returns its output. ROOT is the repository.
func run(t *testing.T, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	command.Dir, command.WaitDelay = t.TempDir(), 10*time.Second
	command.Env = append(os.Environ(), "ROOT="+hosts.Root(), "NO_PROXY=127.0.0.1")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s\n%s", err, script, out)
	}
	return string(out)
}
