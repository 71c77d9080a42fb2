package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"automatic-rostering/tests/conformance/hosts"
)

// TestBill holds the bill of make packages to the rules. An older one need not fit what
// make build has put into dist since, so that make test-packages has it run.
func TestBill(t *testing.T) {
	if os.Getenv("PACKAGES") != "made" {
		t.Skip("make test-packages runs this test")
	}
	text, err := os.ReadFile(filepath.Join(hosts.Root(), "dist/rostering.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range broken(t, text) {
		t.Error(broken)
	}
	var again bytes.Buffer
	if err := write(&again, hosts.Root()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), text) {
		t.Error("it differs when made again: run make packages")
	}
}

// What breaks a rule is found.
func TestRulesCanFail(t *testing.T) {
	b := newBill(hosts.Root())
	plugin := b.add("pkg:generic/rostering-plugin", "1", "MIT")
	files, err := b.files([]string{"rostering.wasm", "rostering-nowasi.wasm"}, "1")
	if err != nil || len(files) != 2 {
		t.Fatalf("%v: run make build", err)
	}
	b.components[plugin].Components = &files
	top := component("pkg:generic/release", "1", "MIT")
	b.need(top.BOMRef, plugin, false)
	for _, name := range partsOfThePlugin {
		b.need(plugin, b.add("pkg:golang/"+name, "v1", "MIT"), false)
	}
	rules := func() []string {
		var text bytes.Buffer
		if err := b.encode(&text, top); err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(broken(t, text.Bytes()), func(s string) bool { return strings.HasSuffix(s, notInTheBill) })
	}
	if found := rules(); len(found) > 0 {
		t.Fatalf("a good bill breaks rules: %q", found)
	}
	for _, c := range []struct {
		rule   string
		breaks func()
	}{
		{"nothing needs pkg:golang/x@1", func() { b.add("pkg:golang/x", "1", "MIT") }},
		{"no component pkg:golang/y@1", func() { b.need(plugin, "pkg:golang/y@1", false) }},
		{"pkg:npm/z: no version", func() { b.need(plugin, b.add("pkg:npm/z", "", "MIT"), false) }},
		{"pkg:npm/z@2: no licence", func() { b.need(plugin, b.add("pkg:npm/z", "2", ""), false) }},
		{"does not need std", func() { delete(b.needs[plugin], "pkg:golang/std@v1") }},
		{"rostering.wasm: another SHA-256", func() { (*files[0].Hashes)[0].Value = strings.Repeat("0", 64) }},
		{"does not match", func() { (*files[0].Hashes)[0].Value = "none" }},
	} {
		c.breaks()
		if found := rules(); !slices.ContainsFunc(found, func(s string) bool { return strings.Contains(s, c.rule) }) {
			t.Errorf("%q is not among %q", c.rule, found)
		}
	}
}

var partsOfThePlugin = []string{"github.com/extism/go-pdk", "github.com/tidwall/gjson", "github.com/tinygo-org/tinygo", "std"}

// mains are, for each package, what it must need.
var mains = map[string][]string{
	"pkg:generic/rostering-plugin":                                partsOfThePlugin,
	"pkg:golang/automatic-rostering.example/rostering":            {"github.com/extism/go-sdk", "github.com/tetratelabs/wazero", "rostering-plugin"},
	"pkg:golang/automatic-rostering.example/rostering/redisstore": {"github.com/redis/go-redis/v9"},
	"pkg:golang/automatic-rostering.example/sandbox":              {"github.com/zitadel/oidc/v3"},
	"pkg:npm/automatic-rostering":                                 {"extism", "redis", "rostering-plugin"},
	"pkg:pypi/automatic-rostering":                                {"extism", "extism-sys", "httpx", "redis", "rostering-plugin"},
	"pkg:maven/example.automaticrostering/automatic-rostering":    {"org.extism.sdk/chicory-sdk-core", "redis.clients/jedis", "rostering-plugin"},
	"pkg:cargo/automatic-rostering":                               {"wasmi", "reqwest", "rustls", "redis", "rostering-plugin"},
	"pkg:generic/rostering-c":                                     {"extism-sys", "libcurl", "jansson", "libcrypto", "rostering-plugin"},
}

// broken returns the rules that a bill breaks.
func broken(t *testing.T, text []byte) (broken []string) {
	t.Helper()
	say := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(document); err != nil {
		say("it does not match CycloneDX's schema: %v", err)
		return broken
	}
	bom := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	if bom.SerialNumber != "" || bom.Metadata.Timestamp != "" || bytes.Contains(text, []byte(hosts.Root())) {
		say("it has a serial number, a time or a path: it varies")
	}

	components, files := map[string]cdx.Component{bom.Metadata.Component.BOMRef: *bom.Metadata.Component}, map[string]string{}
	var visit func(all []cdx.Component)
	visit = func(all []cdx.Component) {
		for _, c := range all {
			if _, twice := components[c.BOMRef]; twice {
				say("%s is there twice", c.BOMRef)
			}
			components[c.BOMRef] = c
			switch {
			case c.Type == cdx.ComponentTypeFile:
				files[c.Name] = (*c.Hashes)[0].Value
				continue
			case c.Version == "" && !strings.HasPrefix(c.BOMRef, "pkg:generic/"): // the system's
				say("%s: no version", c.BOMRef)
			case c.Licenses == nil:
				say("%s: no licence", c.BOMRef)
			}
			if c.Components != nil {
				visit(*c.Components)
			}
		}
	}
	visit(*bom.Components)

	needs := map[string][]string{}
	for _, d := range *bom.Dependencies {
		if d.Dependencies != nil {
			needs[d.Ref] = *d.Dependencies
		}
	}
	reached := map[string]bool{}
	var reach func(ref string)
	reach = func(ref string) {
		if _, ok := components[ref]; !ok {
			say("there is no component %s", ref)
		}
		if !reached[ref] {
			reached[ref] = true
			for _, needed := range needs[ref] {
				reach(needed)
			}
		}
	}
	reach(bom.Metadata.Component.BOMRef)
	for _, c := range *bom.Components {
		if !reached[c.BOMRef] {
			say("nothing needs %s", c.BOMRef)
		}
		purl, _, _ := strings.Cut(c.BOMRef, "@")
		for _, name := range mains[purl] {
			if !slices.ContainsFunc(needs[c.BOMRef], func(ref string) bool {
				_, path, _ := strings.Cut(ref, "/")
				path, _, _ = strings.Cut(path, "@")
				return path == name
			}) {
				say("%s does not need %s", c.BOMRef, name)
			}
		}
	}
	return append(broken, brokenFiles(t, files)...)
}

const notInTheBill = " is in dist, but not in the bill"

// brokenFiles returns what differs between the files of a bill and those of dist.
func brokenFiles(t *testing.T, files map[string]string) (broken []string) {
	t.Helper()
	dist := filepath.Join(hosts.Root(), "dist")
	sums, err := exec.Command("bash", "-c", `cd "$1" && find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum`, "-", dist).Output()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		there[name] = sum
	}
	for name, sum := range files {
		if there[name] != sum {
			broken = append(broken, name+": another SHA-256 than in dist")
		}
	}
	for name := range there {
		packed := slices.Contains([]string{".wasm", ".zip", ".tgz", ".gz", ".whl", ".jar", ".crate"}, filepath.Ext(name))
		if packed && files[name] == "" {
			broken = append(broken, name+notInTheBill)
		}
	}
	return broken
}

// schema is that of CycloneDX 1.6, which comes with its module.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	for name, file := range map[string]string{
		"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		content, err := os.Open(filepath.Join(strings.TrimSpace(string(folder)), "schema", file))
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(content)
		_ = content.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource("http://cyclonedx.org/schema/"+name, document); err != nil {
			t.Fatal(err)
		}
	}
	compiled, err := compiler.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}
