package docs

import (
	"encoding/json"
	"encoding/xml"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
)

// docs/sdk.md lists what each library needs at run time, so that a new dependency is a decision. For Go and Python that
// is the whole tree, for the others what their manifests name.
func TestRunTimeDependencies(t *testing.T) {
	sections := map[string]func(*testing.T) []string{
		"Go": ofGo, "JavaScript": ofJavaScript, "Python": ofPython, "Java": ofJava,
		"Rust": func(t *testing.T) []string { return ofCargo(t, "sdk/rust/Cargo.toml") },
		"C":    func(t *testing.T) []string { return ofCargo(t, "sdk/c/Cargo.toml") },
	}
	listed := map[string][]string{}
	_, table, _ := strings.Cut(read(t, "docs/sdk.md"), "\n| library | dependency |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
		cells := strings.Split(row, "|")
		language := strings.TrimSpace(cells[1])
		for _, name := range regexp.MustCompile("`(.+?)`").FindAllStringSubmatch(cells[2], -1) {
			listed[language] = append(listed[language], name[1])
		}
	}
	for language, needed := range sections {
		compare(t, "docs/sdk.md, "+language, listed[language], needed(t))
	}
}

// ofGo returns the modules of all packages that the library imports.
func ofGo(t *testing.T) (names []string) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".")
	list.Dir = filepath.Join(hosts.Root(), "sdk/go")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Compact(slices.Sorted(slices.Values(strings.Fields(string(out)))))
}

func ofJavaScript(t *testing.T) (names []string) {
	t.Helper()
	var manifest struct{ Dependencies, PeerDependencies map[string]string }
	if err := json.Unmarshal([]byte(read(t, "sdk/javascript/package.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	for _, all := range []map[string]string{manifest.Dependencies, manifest.PeerDependencies} {
		for name := range all {
			names = append(names, name)
		}
	}
	return names
}

// ofPython returns what pyproject.toml names, and what that needs: the lock file lists below each package what needs it.
func ofPython(t *testing.T) (names []string) {
	t.Helper()
	for _, list := range regexp.MustCompile(`(?m)^(?:dependencies|redis) = \[(.*)\]$`).FindAllStringSubmatch(read(t, "sdk/python/pyproject.toml"), -1) {
		for _, name := range regexp.MustCompile(`"([a-z-]+)`).FindAllStringSubmatch(list[1], -1) {
			names = append(names, name[1])
		}
	}
	packages := regexp.MustCompile(`(?m)^([a-z0-9-]+)==`)
	needs := map[string][]string{}
	var name string
	for line := range strings.Lines(read(t, "sdk/python/requirements.txt")) {
		if found := packages.FindStringSubmatch(line); found != nil {
			name = found[1]
		} else if by, ok := strings.CutPrefix(strings.TrimSpace(strings.Replace(line, "via", "", 1)), "#"); ok {
			by = strings.TrimSpace(by)
			needs[by] = append(needs[by], name)
		}
	}
	for i := 0; i < len(names); i++ {
		for _, needed := range needs[names[i]] {
			if !slices.Contains(names, needed) {
				names = append(names, needed)
			}
		}
	}
	return names
}

func ofJava(t *testing.T) (names []string) {
	t.Helper()
	var pom struct {
		Dependencies []struct {
			Group    string `xml:"groupId"`
			Artifact string `xml:"artifactId"`
			Scope    string `xml:"scope"`
		} `xml:"dependencies>dependency"`
	}
	if err := xml.Unmarshal([]byte(read(t, "sdk/java/pom.xml")), &pom); err != nil {
		t.Fatal(err)
	}
	for _, d := range pom.Dependencies {
		if d.Scope != "test" && d.Scope != "provided" {
			names = append(names, d.Group+":"+d.Artifact)
		}
	}
	return names
}

func ofCargo(t *testing.T, manifest string) (names []string) {
	t.Helper()
	_, dependencies, _ := strings.Cut(read(t, manifest), "\n[dependencies]\n")
	dependencies, _, _ = strings.Cut(dependencies, "\n[")
	for _, name := range regexp.MustCompile(`(?m)^([\w-]+) = `).FindAllStringSubmatch(dependencies, -1) {
		names = append(names, name[1])
	}
	return names
}
