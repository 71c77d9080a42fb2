package docs

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
)

var update = flag.Bool("update", false, "put the examples' snippets into the documents")

// marked finds a code block that names the file it is taken from.
var marked = regexp.MustCompile("(?s)<!-- snippet of (.*?) -->\n```[a-z]+\n(.*?)```")

const longest = 30 // lines

// The documents' snippets are lines of examples that run: what stands between "snippet"
// and "end of snippet" there. go test ./docs -update puts them in.
func TestSnippets(t *testing.T) {
	shown := map[string]bool{}
	for _, page := range pages(t) {
		text := read(t, page)
		for _, found := range marked.FindAllStringSubmatch(text, -1) {
			file, code := found[1], found[2]
			source, err := os.ReadFile(filepath.Join(hosts.Root(), file))
			want := ""
			if err == nil {
				want, err = snippet(string(source))
			}
			if err != nil {
				t.Errorf("%s shows a snippet of %s: %v", page, file, err)
				continue
			}
			if language, ok := strings.CutPrefix(path.Dir(file), "host-example/"); ok {
				shown[strings.Split(language, "/")[0]] = true
			}
			if *update {
				const fence = "```"
				text = strings.Replace(text, found[0], strings.TrimSuffix(found[0], code+fence)+want+fence, 1)
			} else if code != want {
				t.Errorf("%s shows another snippet than %s has: go test ./docs -update", page, file)
			}
		}
		if *update {
			if err := os.WriteFile(filepath.Join(hosts.Root(), page), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, language := range hosts.Languages() {
		_, err := os.Stat(filepath.Join(hosts.Root(), "host-example", language)) // Deno and Bun run Node's
		if err == nil && !shown[language] {
			t.Errorf("no page has a snippet of host-example/%s", language)
		}
	}
}

// pages are the README.md files, and the documents, of the project. Those of packages that
// were installed are not among them.
func pages(t *testing.T) (all []string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.md")
	list.Dir = hosts.Root()
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range strings.Fields(string(out)) {
		if _, err := os.Stat(filepath.Join(hosts.Root(), page)); err == nil {
			all = append(all, page)
		}
	}
	return all
}

// snippet returns the lines between the marks, without their common indentation and empty lines at the end.
func snippet(source string) (string, error) {
	lines := strings.Split(source, "\n")
	begin, end := -1, -1
	for i, line := range lines {
		switch strings.Trim(line, " \t/#*-") {
		case "snippet":
			begin = i + 1
		case "end of snippet":
			end = i
		}
	}
	if begin < 0 || end < begin {
		return "", fmt.Errorf("it has no lines between the marks snippet and end of snippet")
	}
	lines = lines[begin:end]
	if len(lines) > longest {
		return "", fmt.Errorf("the snippet has %d lines, more than %d", len(lines), longest)
	}
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], indent)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n", nil
}

var (
	block = regexp.MustCompile("(?s)\n```.*?\n```")
	// link finds the target of a link to a file or to a heading.
	link = regexp.MustCompile(`\]\(([^)#:\s]*)(#[^)]*)?\)`)
	// punctuation is what a heading loses in its anchor.
	punctuation = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(block.ReplaceAllString(read(t, page), ""), -1) {
			target := page
			if found[1] != "" {
				target = filepath.Join(filepath.Dir(page), found[1])
			}
			info, err := os.Stat(filepath.Join(hosts.Root(), target))
			if err == nil && info.IsDir() {
				target = filepath.Join(target, "README.md")
			}
			if err != nil {
				t.Errorf("%s links to %s, which is not there", page, found[1])
			} else if found[2] != "" && !slices.Contains(anchors(read(t, target)), found[2]) {
				t.Errorf("%s links to %s%s: there is no such heading", page, found[1], found[2])
			}
		}
	}
}

// A link that is named after a test leads to the file that has it.
func TestNamedTestsExist(t *testing.T) {
	test := regexp.MustCompile(`\[(Test\w+)\]\(([^)]+)\)`)
	for _, page := range pages(t) {
		for _, found := range test.FindAllStringSubmatch(read(t, page), -1) {
			if !strings.Contains(read(t, filepath.Join(filepath.Dir(page), found[2])), "func "+found[1]+"(") {
				t.Errorf("%s: %s has no %s", page, found[2], found[1])
			}
		}
	}
}

// anchors returns those of a page's headings, as GitHub makes them.
func anchors(text string) (all []string) {
	for line := range strings.Lines(block.ReplaceAllString(text, "")) {
		if level, title, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.Trim(level, "#") == "" {
			title = punctuation.ReplaceAllString(strings.ToLower(title), "")
			all = append(all, "#"+strings.ReplaceAll(title, " ", "-"))
		}
	}
	return all
}
