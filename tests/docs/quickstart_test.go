package docs

import (
	"context"
	"errors"
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

// A reader copies the sections Install and Quick start of a page into an empty folder, block by block, and has jobs.
func TestQuickStart(t *testing.T) {
	if os.Getenv("PACKAGES") != "made" {
		t.Skip("make test-packages runs this test")
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./cmd/rostering-sandbox")
	build.Dir = filepath.Join(hosts.Root(), "sandbox")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for page, host := range map[string]string{"c": "c", "go": "go", "java": "java", "javascript": "node", "python": "python", "rust": "rust"} {
		t.Run(page, func(t *testing.T) {
			if !hosts.Wanted(host) {
				t.Skip("not in HOSTS")
			}
			if host != "go" {
				hosts.Setup(t, host)
			}
			folder := t.TempDir()
			script, err := copied(folder, sections(read(t, "sdk/"+page+"/README.md"), "Install", "Quick start"))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			command := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
			command.Dir = folder
			command.Env = append(os.Environ(), "DIST="+filepath.Join(hosts.Root(), "dist"), "PATH="+bin+":"+os.Getenv("PATH"))
			command.WaitDelay = 10 * time.Second
			out, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "sandbox-job-1") {
				t.Errorf("%v: %s\n%s", err, script, out)
			}
		})
	}
}

var (
	fenced = regexp.MustCompile("(?s)^```([a-z]+)\n(.*?)\n```$")
	named  = regexp.MustCompile("`([^` ]+)`:$")
)

// copied writes the blocks that a page names files for into a folder, and returns the others as one script. The line before a
// block names its file: its last word, a colon behind it.
func copied(folder, text string) (script string, err error) {
	var name string
	for _, part := range paragraphs(text) {
		found := fenced.FindStringSubmatch(part)
		switch {
		case found == nil && strings.HasPrefix(part, "<!--"):
		case found == nil:
			name = ""
			if file := named.FindStringSubmatch(part); file != nil {
				name = file[1]
			}
		case name != "" && !filepath.IsLocal(name):
			return "", fmt.Errorf("%s is outside of the folder", name)
		case name != "":
			file := filepath.Join(folder, name)
			err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(found[2]+"\n"), 0o644))
			name = ""
		case found[1] == "sh":
			script += found[2] + "\n"
		default:
			return "", fmt.Errorf("no file is named for this block:\n%s", part)
		}
	}
	return script, err
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
