package main

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// find returns the reference of a component by its package URL without the version.
func (b *bill) find(purl string) (string, error) {
	for ref := range b.components {
		if strings.HasPrefix(ref, purl+"@") {
			return ref, nil
		}
	}
	return "", fmt.Errorf("no %s has been added", purl)
}

func readJSON(v any, path ...string) error {
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// npm adds what package-lock.json has of the package's dependencies.
func (b *bill) npm(ref string) error {
	var lock struct {
		Packages map[string]struct {
			Version, License               string
			Dependencies, PeerDependencies map[string]string
		}
	}
	if err := readJSON(&lock, b.root, "sdk/javascript/package-lock.json"); err != nil {
		return err
	}
	var add func(ref, name string, optional bool) error
	add = func(ref, name string, optional bool) error {
		p, ok := lock.Packages["node_modules/"+name]
		if !ok {
			return fmt.Errorf("package-lock.json lacks %s", name)
		}
		needed := b.add("pkg:npm/"+strings.ReplaceAll(name, "@", "%40"), p.Version, p.License)
		b.need(ref, needed, optional)
		for name := range p.Dependencies {
			if err := add(needed, name, false); err != nil {
				return err
			}
		}
		return nil
	}
	for name := range lock.Packages[""].Dependencies {
		if err := add(ref, name, false); err != nil {
			return err
		}
	}
	for name := range lock.Packages[""].PeerDependencies {
		if err := add(ref, name, true); err != nil {
			return err
		}
	}
	return nil
}

var (
	pinned    = regexp.MustCompile(`^([a-z0-9-]+)==([^ ]+) \\`)
	via       = regexp.MustCompile(`^    # +(?:via +)?([a-z0-9-]+)$`)
	requires  = regexp.MustCompile(`^([A-Za-z0-9._-]+)`)
	notInName = regexp.MustCompile(`[-_.]+`)
)

// python adds what requirements.txt has for what the wheel requires.
func (b *bill) python(ref string) error {
	folder := filepath.Join(b.root, "sdk/python")
	text, err := os.ReadFile(filepath.Join(folder, "requirements.txt"))
	if err != nil {
		return err
	}
	versions, needs := map[string]string{}, map[string][]string{}
	var name string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if found := pinned.FindStringSubmatch(line); found != nil {
			name = found[1]
			versions[name] = found[2]
		} else if found := via.FindStringSubmatch(line); found != nil && found[1] != "via" {
			needs[found[1]] = append(needs[found[1]], name)
		}
	}
	var add func(ref, name string, optional bool) error
	add = func(ref, name string, optional bool) error {
		if versions[name] == "" {
			return fmt.Errorf("requirements.txt lacks %s", name)
		}
		license, err := wheelLicense(folder, name)
		if err != nil {
			return err
		}
		needed := b.add("pkg:pypi/"+name, versions[name], license)
		b.need(ref, needed, optional)
		for _, name := range needs[name] {
			if err := add(needed, name, false); err != nil {
				return err
			}
		}
		return nil
	}
	_, version, _ := strings.Cut(ref, "@")
	required, err := wheelRequires(filepath.Join(b.root, "dist/automatic_rostering-"+version+"-py3-none-any.whl"))
	if err != nil {
		return err
	}
	for _, line := range required {
		name := notInName.ReplaceAllString(strings.ToLower(requires.FindString(line)), "-")
		if err := add(ref, name, strings.Contains(line, "extra ==")); err != nil {
			return err
		}
	}
	found, err := filepath.Glob(filepath.Join(folder, ".venv/lib/*/site-packages/extism_sys-*.dist-info/sboms/*.json"))
	if err != nil || len(found) != 1 {
		return errors.Join(err, fmt.Errorf("extism_sys has the bills %q", found))
	}
	_, err = b.libextism(found[0])
	return err
}

// wheelRequires returns what a wheel requires.
func wheelRequires(path string) ([]string, error) {
	wheel, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = wheel.Close() }()
	for _, f := range wheel.File {
		if filepath.Base(f.Name) != "METADATA" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer func() { _ = r.Close() }()
		header, err := textproto.NewReader(bufio.NewReader(r)).ReadMIMEHeader()
		return header["Requires-Dist"], err
	}
	return nil, errors.New("the wheel has no METADATA")
}

// wheelLicense returns the license of what is installed in .venv.
func wheelLicense(folder, name string) (string, error) {
	if name == "extism-sys" {
		return "BSD-3-Clause", nil // as its own bill of materials has it
	}
	found, err := filepath.Glob(filepath.Join(folder, ".venv/lib/*/site-packages", strings.ReplaceAll(name, "-", "_")+"-*.dist-info/METADATA"))
	if err != nil || len(found) != 1 {
		return "", errors.Join(err, fmt.Errorf("%s is there as %q", name, found))
	}
	file, err := os.Open(found[0])
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	header, err := textproto.NewReader(bufio.NewReader(file)).ReadMIMEHeader()
	if license := header.Get("License-Expression"); license != "" {
		return license, err
	}
	return header.Get("License"), err
}

// libextism adds the wheel that has it, with the crates in it by the wheel's own bill.
func (b *bill) libextism(path string) (ref string, err error) {
	var own cdx.BOM
	if err := readJSON(&own, path); err != nil {
		return "", err
	}
	sys := own.Metadata.Component
	ref = b.add("pkg:pypi/"+sys.Name, sys.Version, (*sys.Licenses)[0].Expression)
	var crates []cdx.Component
	for _, c := range *own.Components {
		crate := component("pkg:cargo/"+c.Name, c.Version, (*c.Licenses)[0].Expression)
		crate.BOMRef = ref + "#" + crate.BOMRef
		crates = append(crates, crate)
	}
	b.components[ref].Components = &crates
	return ref, nil
}

// maven adds what Maven's plugin of CycloneDX says.
func (b *bill) maven(string) error {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	make := exec.Command("mvn", "--batch-mode", "--no-transfer-progress", "--quiet",
		"org.cyclonedx:cyclonedx-maven-plugin:2.9.3:makeBom", "-DschemaVersion=1.6", "-DoutputFormat=json",
		"-DincludeTestScope=false", "-DoutputDirectory="+folder)
	make.Dir = filepath.Join(b.root, "sdk/java")
	if out, err := make.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	var own cdx.BOM
	if err := readJSON(&own, folder, "bom.json"); err != nil {
		return err
	}
	for _, c := range *own.Components {
		b.components[bare(c.PackageURL)] = &cdx.Component{
			BOMRef: bare(c.PackageURL), Type: c.Type, Group: c.Group, Name: c.Name, Version: c.Version, Scope: c.Scope,
			Licenses: c.Licenses, PackageURL: bare(c.PackageURL),
		}
	}
	for _, d := range *own.Dependencies {
		if d.Dependencies == nil {
			continue
		}
		for _, needed := range *d.Dependencies {
			b.need(bare(d.Ref), bare(needed), d.Ref == own.Metadata.Component.BOMRef && b.components[bare(needed)].Scope == cdx.ScopeOptional)
		}
	}
	return nil
}

// bare is a package URL without its qualifiers.
func bare(purl string) string {
	purl, _, _ = strings.Cut(purl, "?")
	return purl
}

// cargo adds the crates of Cargo.lock, for all platforms.
func (b *bill) cargo(ref string) error {
	metadata := exec.Command("cargo", "metadata", "--locked", "--quiet", "--format-version=1", "--all-features")
	metadata.Dir = filepath.Join(b.root, "sdk/rust")
	text, err := metadata.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", metadata, err)
	}
	var all struct {
		Packages []struct {
			ID, Name, Version, License string
			Dependencies               []struct {
				Name     string
				Optional bool
			}
		}
		Resolve struct {
			Nodes []struct {
				ID   string
				Deps []struct {
					Pkg      string
					DepKinds []struct{ Kind string } `json:"dep_kinds"`
				}
			}
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	refs, needs := map[string]string{}, map[string][]string{} // of IDs
	var library string
	names, optional := map[string]string{}, map[string]bool{}
	for _, p := range all.Packages {
		names[p.ID] = p.Name
		refs[p.ID] = component("pkg:cargo/"+p.Name, p.Version, "").BOMRef
		if refs[p.ID] != ref {
			continue
		}
		library = p.ID
		for _, d := range p.Dependencies {
			optional[d.Name] = d.Optional
		}
	}
	for _, n := range all.Resolve.Nodes {
		for _, d := range n.Deps {
			for _, kind := range d.DepKinds {
				if kind.Kind != "dev" {
					needs[n.ID] = append(needs[n.ID], d.Pkg)
					break
				}
			}
		}
	}
	reached := map[string]bool{}
	var reach func(id string)
	reach = func(id string) {
		if !reached[id] {
			reached[id] = true
			for _, needed := range needs[id] {
				b.need(refs[id], refs[needed], id == library && optional[names[needed]])
				reach(needed)
			}
		}
	}
	reach(library)
	for _, p := range all.Packages {
		if reached[p.ID] && p.ID != library {
			b.add("pkg:cargo/"+p.Name, p.Version, p.License)
		}
	}
	return nil
}

var requirement = regexp.MustCompile(`([a-z]+)( >= ([0-9.]+))?`)

// c adds libextism, which comes along, and the system's libraries of its file for pkg-config.
func (b *bill) c(ref string) error {
	folder := filepath.Join(b.root, "sdk/c")
	libextism, err := b.libextism(filepath.Join(folder, "lib/libextism.cdx.json"))
	if err != nil {
		return err
	}
	b.need(ref, libextism, false)
	text, err := os.ReadFile(filepath.Join(folder, "rostering-static.pc.in"))
	if err != nil {
		return err
	}
	_, line, _ := strings.Cut(string(text), "\nRequires: ")
	line, _, _ = strings.Cut(line, " @")
	for _, found := range requirement.FindAllStringSubmatch(line, -1) {
		license, ok := map[string]string{"jansson": "MIT", "libcrypto": "Apache-2.0", "libcurl": "curl"}[found[1]]
		if !ok {
			return fmt.Errorf("the licence of %s is not known here", found[1])
		}
		system := b.add("pkg:generic/"+url.PathEscape(found[1]), "", license)
		b.components[system].Description = strings.TrimSpace("the system's" + strings.ReplaceAll(found[2], " >=", ", at least"))
		b.need(ref, system, false)
	}
	return nil
}
