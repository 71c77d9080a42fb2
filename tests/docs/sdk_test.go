package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
)

// suite tells where a language's tests are and how they are named.
type suite struct {
	language string         // as docs/sdk.md spells it
	folder   string         // of sdk
	files    *regexp.Regexp // paths in the folder
	tests    *regexp.Regexp // one group of each match has the name
}

var suites = []suite{
	{"Go", "go", regexp.MustCompile(`_test\.go$`), regexp.MustCompile(`(?m)^func (Test\w+)\(|\.Run\("([^"]+)"`)},
	{"JavaScript", "javascript", regexp.MustCompile(`\btests?/`),
		regexp.MustCompile("(?m)^\\s*(?:await )?(?:t\\.|Deno\\.)?(?:test|it)\\(\\s*['\"`]([^'\"`]+)")},
	{"Python", "python", regexp.MustCompile(`^tests/.*\.py$`), regexp.MustCompile(`(?m)^\s*(?:async )?def (test_\w+)\(`)},
	{"Java", "java", regexp.MustCompile(`^src/test/.*\.java$`), regexp.MustCompile(`(?s)@(?:Parameterized)?Test\b.*?\bvoid\s+(\w+)\(`)},
	{"Rust", "rust", regexp.MustCompile(`\.rs$`), regexp.MustCompile(`(?s)#\[(?:tokio::)?test\b[^\]]*\].*?\bfn (\w+)`)},
	{"C", "c", regexp.MustCompile(`^tests/.*\.c$`), regexp.MustCompile(`(?m)^\s*(?:TEST|cmocka_unit_test\w*)\((\w+)`)},
}

// find returns the names of the tests in a source.
func (s suite) find(source string) (names []string) {
	for _, found := range s.tests.FindAllStringSubmatch(source, -1) {
		names = append(names, strings.Join(found[1:], ""))
	}
	return names
}

// names are those of all tests of the language.
func (s suite) names(t *testing.T) (names []string) {
	t.Helper()
	root := os.DirFS(filepath.Join(hosts.Root(), "sdk", s.folder))
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{"node_modules", "target", "build", ".venv", "lib"}, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !s.files.MatchString(path):
			return nil
		}
		source, err := fs.ReadFile(root, path)
		names = append(names, s.find(string(source))...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// shows reports whether a test of this name shows the row: TestMaxBodyNamesTheOption and "max-body: names the option"
// show max-body, and TestClosedClient does not show close.
func shows(name, row string) bool {
	words := strings.ReplaceAll(row, "-", "[^A-Za-z0-9]*")
	return regexp.MustCompile(`^(?i:test)?[^A-Za-z0-9]*(?i:` + words + `)([^a-z]|$)`).MatchString(name)
}

// table returns the cells of the table under a heading, row by row, without its head.
func table(t *testing.T, text, heading string) (rows [][]string) {
	t.Helper()
	_, section, found := strings.Cut(text, "\n## "+heading+"\n")
	if !found {
		t.Fatalf("there is no section %s", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| ") {
			rows = append(rows, strings.Split(strings.Trim(line, "| \n"), " | "))
		}
	}
	return rows[2:]
}

// quoted returns the names in backticks.
func quoted(cell string) (names []string) {
	for _, found := range regexp.MustCompile("`(.+?)`").FindAllStringSubmatch(cell, -1) {
		names = append(names, found[1])
	}
	return names
}

// Every row of behavior has a test in every language, unless a row of the differences says why not.
func TestEveryLibraryShowsEachRow(t *testing.T) {
	page := read(t, "docs/sdk.md")
	var rows []string
	for _, cells := range table(t, page, "Behavior") {
		rows = append(rows, quoted(cells[0])...)
	}
	if len(rows) < 20 {
		t.Fatalf("the rows are %q", rows)
	}
	type place struct{ row, language string }
	different := map[place]bool{}
	for _, cells := range table(t, page, "Differences") {
		for _, row := range quoted(cells[0]) {
			for language := range strings.SplitSeq(cells[1], ", ") {
				different[place{row, language}] = true
			}
		}
	}
	for _, s := range suites {
		t.Run(s.language, func(t *testing.T) {
			names, missing := s.names(t), []string(nil)
			for _, row := range rows {
				here := place{row, s.language}
				tested := slices.ContainsFunc(names, func(name string) bool { return shows(name, row) })
				if !tested && !different[here] {
					missing = append(missing, row)
				}
				if tested && different[here] {
					t.Errorf("%s is a difference, and a test is named after it", row)
				}
				delete(different, here)
			}
			if len(missing) > 0 {
				t.Errorf("no test is named after %s", strings.Join(missing, ", "))
			}
		})
	}
	for unknown := range different {
		t.Errorf("a difference is %v, which is no row and language", unknown)
	}
}

func TestTestsAreFound(t *testing.T) {
	samples := map[string]string{
		"Go":         "func TestOne(t *testing.T) {\n\tt.Run(\"two: x\", func(t *testing.T) {\n// func TestNone\n",
		"JavaScript": "test('One', bound, async (t) => {\n  await t.test(\n    `two: x`, () => {\nDeno.test('three', /x/.test('none'));\n",
		"Python":     "class Case:\n    def test_one(self):\n    async def test_two(self):\n    def none(self):\n",
		"Java":       "@Test\nvoid one() {}\n@ParameterizedTest\n@ValueSource(strings = {\"a\"})\npublic void two(String x) {}\nvoid none() {}",
		"Rust":       "#[test]\nfn one() {}\n#[tokio::test(flavor = \"multi_thread\")]\n#[cfg(unix)]\nasync fn two() {}\nfn none() {}",
		"C":          "static void none(void **state) {\n    TEST(one),\n    cmocka_unit_test_setup_teardown(two, x, y),\n",
	}
	wants := map[string]string{
		"Go": "TestOne|two: x", "JavaScript": "One|two: x|three", "Python": "test_one|test_two",
		"Java": "one|two", "Rust": "one|two", "C": "one|two",
	}
	for _, s := range suites {
		if got := strings.Join(s.find(samples[s.language]), "|"); got != wants[s.language] {
			t.Errorf("%s: found %s", s.language, got)
		}
		if len(s.names(t)) == 0 {
			t.Errorf("%s has no tests", s.language)
		}
	}
}

func TestNamesOfRows(t *testing.T) {
	for name, want := range map[string]bool{
		"TestMaxBody": true, "TestMaxBodyNamesTheOption": true, "test_max_body_is_named": true, "max-body: names it": true,
		"maxBodyIsNamed": true, "max_body_is_named": true, "maxBody2": true, "MAX-BODY": true,
		"TestMaxBodyless": false, "TestBody": false, "a max-body": false, "maximal_body": false,
	} {
		if shows(name, "max-body") != want {
			t.Errorf("%q shows max-body: %v", name, !want)
		}
	}
}
