package docs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
)

var update = flag.Bool("update", false, "put the examples' snippets into README.md")

// marked finds a code block of README.md that names the file it is taken from.
var marked = regexp.MustCompile("(?s)<!-- snippet of (.*?) -->\n```[a-z]+\n(.*?)```")

const longest = 20 // lines

// The README's snippets are lines of examples that run: what stands between "snippet"
// and "end of snippet" there. go test ./docs -update puts them in.
func TestSnippetsAreTakenFromTheExamples(t *testing.T) {
	readme := read(t, "README.md")
	shown := map[string]bool{}
	for _, found := range marked.FindAllStringSubmatch(readme, -1) {
		file, code := found[1], found[2]
		shown[strings.Split(file, "/")[1]] = true
		want, err := snippet(read(t, file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if *update {
			const fence = "```"
			readme = strings.Replace(readme, found[0], strings.TrimSuffix(found[0], code+fence)+want+fence, 1)
		} else if code != want {
			t.Errorf("%s has another snippet: go test ./docs -update", file)
		}
	}
	for _, language := range hosts.Languages() {
		if !shown[language] {
			t.Errorf("README.md has no snippet of host-example/%s", language)
		}
	}
	if *update {
		if err := os.WriteFile(filepath.Join(hosts.Root(), "README.md"), []byte(readme), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// snippet returns the lines between the marks, without their common indentation.
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
	return strings.Join(lines, "\n") + "\n", nil
}
