package docs

import (
	"regexp"
	"slices"
	"testing"
)

// options are where the code of a library lists the options of a client: within area, each found by name.
var options = []struct{ language, file, area, name string }{
	{"c", "sdk/c/src/config.rs", `(?s)match key \{(.*?)\n            _ if `, `(?m)^            "(\w+)" =>`},
	{"go", "sdk/go/option.go", `(?s)(.*)`, `(?m)^func (With\w+)\(.*\) Option \{`},
	{"java", "sdk/java/src/main/java/example/automaticrostering/RosteringClientBuilder.java", `(?s)(.*)`, `(?m)^  public RosteringClientBuilder (\w+)\(`},
	{"javascript", "sdk/javascript/src/rules.js", `(?s)const options = \{(.*?)\};`, `(?m)^  (\w+):`},
	{"python", "sdk/python/automatic_rostering/base.py", `(?s)def __init__\(\s*self,\s*config: Config,\s*\*,(.*?)\) -> None`, `(?m)^        (\w+):`},
	{"rust", "sdk/rust/src/config.rs", `(?s)\nimpl Options \{(.*?)\n\}`, `(?m)^    pub fn (\w+)\(self`},
}

// The page of each language lists every option of a client.
func TestOptions(t *testing.T) {
	for _, o := range options {
		page := "sdk/" + o.language + "/README.md"
		text := padding.ReplaceAllString(read(t, page), " |")
		compare(t, page, firstColumn(t, text, "| option | default |"), namesIn(t, o.file, o.area, o.name))
	}
}

// padding is what formatters of Markdown put before the end of a cell.
var padding = regexp.MustCompile(` +\|`)

// namesIn returns what a pattern finds in an area of a file.
func namesIn(t *testing.T, file, area, pattern string) (names []string) {
	t.Helper()
	found := regexp.MustCompile(area).FindStringSubmatch(read(t, file))
	if found == nil {
		t.Fatalf("%s has no %s", file, area)
	}
	for _, name := range regexp.MustCompile(pattern).FindAllStringSubmatch(found[1], -1) {
		names = append(names, name[1])
	}
	slices.Sort(names)
	if len(names) == 0 {
		t.Fatalf("%s has no %s", file, pattern)
	}
	return names
}
