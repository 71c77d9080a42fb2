// Command modules prints a bill of materials in CycloneDX's format for what the go command builds.
//
//	go run modules.go PURL VERSION MODULES LICENSES
//
// MODULES has a line "PURL VERSION" for each component, LICENSES a line "NAME LICENSE" for each module or a folder of it.
package main

import (
	"cmp"
	"encoding/json"
	"log"
	"os"
	"slices"
	"strings"
)

type component struct {
	Type     string     `json:"type"`
	Ref      string     `json:"bom-ref"`
	Name     string     `json:"name"`
	Version  string     `json:"version"`
	Licenses []licensed `json:"licenses"`
	PURL     string     `json:"purl"`
}

type licensed struct {
	Expression string `json:"expression"`
}

func newComponent(purl, version, license string) component {
	_, name, _ := strings.Cut(purl, "/")
	purl += "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{"library", purl, name, version, []licensed{{license}}, purl}
}

// lines reads lines of two words.
func lines(path string) (all [][]string) {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 2 {
			all = append(all, words)
		}
	}
	return all
}

func main() {
	top := newComponent(os.Args[1], os.Args[2], "MIT")
	licenses := lines(os.Args[4])
	components, refs := []component{}, []string{}
	for _, m := range lines(os.Args[3]) {
		at := slices.IndexFunc(licenses, func(l []string) bool {
			_, path, _ := strings.Cut(m[0], "/")
			return l[0] == path || strings.HasPrefix(l[0], path+"/")
		})
		if at < 0 {
			log.Fatalf("no license is known of %s", m[0])
		}
		components = append(components, newComponent(m[0], m[1], licenses[at][1]))
	}
	slices.SortFunc(components, func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) })
	for _, c := range components {
		refs = append(refs, c.Ref)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": map[string]any{"component": top}, "components": components,
		"dependencies": []map[string]any{{"ref": top.Ref, "dependsOn": refs}},
	})
	if err != nil {
		log.Fatal(err)
	}
}
