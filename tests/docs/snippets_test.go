package docs

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/hosts"
)

var update = flag.Bool("update", false, "put the examples' snippets into the documents")

var (
	// marked finds a code block that names the file it is taken from.
	marked = regexp.MustCompile("(<!-- snippet of (.*?) -->\n```[a-z]+\n)((?s:.*?))```")
	// taken finds the lines between the marks in that file, with the indentation of the first one.
	taken = regexp.MustCompile(`\n[\t /#*-]*snippet[ */-]*\n(([ \t]*)(?s:.*?)\n)[\t /#*-]*end of snippet`)
)

// The documents' snippets are lines of examples that run: what stands between "snippet" and "end of snippet" there.
// go test ./docs -update puts them in.
func TestSnippets(t *testing.T) {
	for page, text := range pages(t) {
		updated := marked.ReplaceAllStringFunc(text, func(shown string) string {
			parts := marked.FindStringSubmatch(shown)
			lines := taken.FindStringSubmatch("\n" + read(t, parts[2]))
			if lines == nil {
				t.Fatalf("%s has no lines between the marks snippet and end of snippet", parts[2])
			}
			want := strings.TrimPrefix(strings.ReplaceAll("\n"+lines[1], "\n"+lines[2], "\n"), "\n")
			want = strings.TrimRight(want, "\n") + "\n"
			if parts[3] != want && !*update {
				t.Errorf("%s shows another snippet than %s has: go test ./docs -update", page, parts[2])
			}
			return parts[1] + want + "```"
		})
		if *update {
			if err := os.WriteFile(filepath.Join(hosts.Root(), page), []byte(updated), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// pages are the texts of the project's README.md files and documents, by their names. Those of packages that were installed
// are not among them.
func pages(t *testing.T) map[string]string {
	t.Helper()
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.md")
	list.Dir = hosts.Root()
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, page := range strings.Fields(string(out)) {
		texts[page] = read(t, page)
	}
	return texts
}

var (
	link    = regexp.MustCompile(`\[([^\]]*)\]\(([^)#:\s]*)(#[^)]*)?\)`) // to a file or to a heading
	heading = regexp.MustCompile(`(?m)^#+ (.*)`)
	// punctuation is what a heading loses in its anchor, which GitHub makes.
	punctuation = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// A link leads to a file and a heading that exist. One that is named after a test leads to the file that has it.
func TestLinksLeadSomewhere(t *testing.T) {
	for page, text := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(block.ReplaceAllString(text, ""), -1) {
			name, target := found[1], page
			if found[2] != "" {
				target = filepath.Join(filepath.Dir(page), found[2])
			}
			info, err := os.Stat(filepath.Join(hosts.Root(), target))
			switch {
			case err != nil:
				t.Errorf("%s links to %s, which is not there", page, target)
				continue
			case info.IsDir() && found[3] != "":
				target = filepath.Join(target, "README.md")
			}
			if found[3] != "" && !slices.Contains(anchors(read(t, target)), found[3]) {
				t.Errorf("%s links to %s%s: there is no such heading", page, target, found[3])
			}
			if strings.HasPrefix(name, "Test") && !strings.Contains(read(t, target), "func "+name+"(") {
				t.Errorf("%s: %s has no %s", page, target, name)
			}
		}
	}
}

func anchors(page string) (all []string) {
	for _, found := range heading.FindAllStringSubmatch(block.ReplaceAllString(page, ""), -1) {
		title := punctuation.ReplaceAllString(strings.ToLower(found[1]), "")
		all = append(all, "#"+strings.ReplaceAll(title, " ", "-"))
	}
	return all
}
