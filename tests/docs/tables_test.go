package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/contract"
	"automatic-rostering.example/rostering/tests/runner/hosts"
)

// list is names in a file: what the groups of a pattern find in its areas.
type list struct{ file, area, name string }

const whole = `(?s)(.*)`

func (l list) read(t *testing.T) (names []string) {
	t.Helper()
	text := read(t, l.file)
	for _, area := range regexp.MustCompile(l.area).FindAllStringSubmatch(text, -1) {
		for _, name := range regexp.MustCompile(l.name).FindAllStringSubmatch(area[1], -1) {
			names = append(names, strings.Join(name[1:], ":"))
		}
	}
	if len(names) == 0 {
		t.Fatalf("%s has no %s in %s", l.file, l.name, l.area)
	}
	return names
}

// options are those of a client in each library.
var options = map[string]list{
	"c":          {"sdk/c/src/config.rs", `(?s)match key \{(.*?)\n            _ => `, `(?m)^            "(\w+)" =>`},
	"go":         {"sdk/go/option.go", whole, `(?m)^func (With\w+)\(.*\) Option \{`},
	"java":       {"sdk/java/src/main/java/example/automaticrostering/RosteringClientBuilder.java", whole, `(?m)^  public RosteringClientBuilder (\w+)\(`},
	"javascript": {"sdk/javascript/src/rules.js", `(?s)const options = \{(.*?)\};`, `(?m)^  (\w+):`},
	"python":     {"sdk/python/automatic_rostering/base.py", `(?s)def __init__\(\s*self,\s*config: Config,\s*\*,(.*?)\) -> None`, `(?m)^        (\w+):`},
	"rust":       {"sdk/rust/src/config.rs", `(?s)\nimpl Options \{(.*?)\n\}`, `(?m)^    pub fn (\w+)(?:<.*>)?\(self`},
}

func TestSchemaAndOptionsAreInTables(t *testing.T) {
	listed, codes, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, key := range listed {
		keys = append(keys, key.Name)
	}
	set := list{"cli/config.go", `(?s)\) flags\(\)(.*?)\n}`, `"ROSTERING_(\w+)"(?:: o\.|\] = )`}.read(t)
	flags := list{"docs/cli.md", `(?s)Each key has a flag \((.*?)\)`, "`--(.+?)(?:-id)?`"}.read(t)
	for _, key := range keys {
		flag := strings.ReplaceAll(strings.TrimSuffix(key, "_id"), "_", "-")
		if key != "client_secret" && !(slices.Contains(set, strings.ToUpper(key)) && slices.Contains(flags, flag)) {
			t.Errorf("%s has no flag in cli/config.go, or none in docs/cli.md", key)
		}
	}
	exports := list{"plugin/main.go", whole, `(?m)^//export (\w+)$`}.read(t)
	compare(t, "docs/errors.md", "| code |", append(slices.Clone(codes), "plugin_failed")) // which is the libraries' own
	compare(t, "docs/contract.md", "| code |", codes)
	compare(t, "docs/contract.md", "| key | required |", keys)
	compare(t, "docs/contract.md", "| export |", exports)
	for language, l := range options {
		compare(t, "sdk/"+language+"/README.md", "| option | default |", l.read(t))
	}
}

// dependencies are what each library needs at run time.
var dependencies = map[string]list{
	"Go":         {"sdk/go/redisstore/go.mod", whole, `(?m)^\t(g\S+) v`}, // without the library itself
	"JavaScript": {"sdk/javascript/package.json", `(?s)"(?:peerD|d)ependencies": \{(.*?)\}`, `"(\S+)":`},
	"Python":     {"sdk/python/pyproject.toml", `(?m)^(?:dependencies|redis) = \[(.*)\]$`, `"([a-z-]+)`},
	"Java": {"sdk/java/pom.xml", `(?s)\n  <dependencies>(.*?)\n  </dependencies>`, // those without a scope
		`<groupId>(.*)</groupId>\s+<artifactId>(.*)</artifactId>\s+<version>.*</version>\s+(?:<optional>true</optional>\s+)?</dependency>`},
	"Rust": {"sdk/rust/Cargo.toml", `(?s)\n\[dependencies\]\n(.*?)\n\[`, `(?m)^([\w-]+) = `},
	"C":    {"sdk/c/Cargo.toml", `(?s)\n\[dependencies\]\n(.*)`, `(?m)^([\w-]+) = `},
}

// docs/sdk.md lists what their manifests name, so that a new one is a decision.
func TestRunTimeDependencies(t *testing.T) {
	var needed []string
	for language, l := range dependencies {
		for _, name := range l.read(t) {
			needed = append(needed, language+" "+name)
		}
	}
	compare(t, "docs/sdk.md", "| library | dependency |", needed)
}

var quoted = regexp.MustCompile("`(.+?)`")

// compare wants the table of a page that begins with head to have these names: in its first column or, after what stands there
// without quotes, in its second.
func compare(t *testing.T, page, head string, want []string) {
	t.Helper()
	_, table, _ := strings.Cut(regexp.MustCompile(` +\|`).ReplaceAllString(read(t, page), " |"), "\n"+head)
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for row := range strings.Lines(table) {
		cells, of := strings.Split(row, " | "), ""
		if cells[0] != "|" && !strings.Contains(cells[0], "`") && len(cells) > 1 {
			of, cells = strings.TrimPrefix(cells[0], "| ")+" ", cells[1:]
		}
		for _, name := range quoted.FindAllStringSubmatch(cells[0], -1) {
			got = append(got, of+name[1])
		}
	}
	slices.Sort(got)
	if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
		t.Errorf("%s, %s: the table has %q, not %q", page, head, got, want)
	}
}
