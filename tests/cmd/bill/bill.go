package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bill collects components, and what each needs, by their references: package URLs.
type bill struct {
	root       string
	components map[string]*cdx.Component
	needs      map[string]map[string]bool // true: only if asked for
}

func newBill(root string) *bill {
	return &bill{root, map[string]*cdx.Component{}, map[string]map[string]bool{}}
}

// add adds a component, unless it is there. It returns its reference.
func (b *bill) add(purl, version, license string) (ref string) {
	c := component(purl, version, license)
	if b.components[c.BOMRef] == nil {
		b.components[c.BOMRef] = &c
	}
	return c.BOMRef
}

// need notes that one component needs another, or only where its user asks for that.
func (b *bill) need(ref, needed string, optional bool) {
	if b.needs[ref] == nil {
		b.needs[ref] = map[string]bool{}
	}
	b.needs[ref][needed] = optional
}

// reach collects what a component needs in any case, and what that needs.
func (b *bill) reach(ref string, reached map[string]bool) {
	if reached[ref] {
		return
	}
	reached[ref] = true
	for needed, optional := range b.needs[ref] {
		if !optional {
			b.reach(needed, reached)
		}
	}
}

// component describes one of which a package URL without the version is known.
func component(purl, version, license string) cdx.Component {
	_, path, _ := strings.Cut(purl, "/")
	c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: strings.ReplaceAll(path, "%40", "@"), Version: version, Licenses: licenses(license)}
	if group, name, found := strings.Cut(path, "/"); found && strings.HasPrefix(purl, "pkg:maven/") {
		c.Group, c.Name = group, name
	}
	if version != "" {
		purl += "@" + strings.ReplaceAll(version, "+", "%2B")
	}
	c.BOMRef, c.PackageURL = purl, purl
	return c
}

// licenses wraps an expression of SPDX.
func licenses(expression string) *cdx.Licenses {
	if expression == "" {
		return nil
	}
	expression = strings.ReplaceAll(strings.ReplaceAll(expression, " / ", " OR "), "/", " OR ") // as older crates have it
	return &cdx.Licenses{{Expression: expression}}
}

// known are phrases of licences that name no identifier of SPDX.
var known = []struct {
	id     string
	phrase *regexp.Regexp
}{
	{"Apache-2.0", phrase("Apache License Version 2.0")},
	{"MIT", phrase("Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation")},
	{"Unlicense", phrase("This is free and unencumbered software released into the public domain")},
	{"BSD-3-Clause", phrase(`Redistribution and use in source and binary forms.*(Neither the name|names? of .* may not)`)},
	{"BSD-2-Clause", phrase("Redistribution and use in source and binary forms")},
}

func phrase(words string) *regexp.Regexp {
	return regexp.MustCompile("(?is)" + strings.ReplaceAll(words, " ", `\s+`))
}

// spdx returns the SPDX identifier of a license's text.
func spdx(text string) (string, error) {
	for _, k := range known {
		if k.phrase.MatchString(text) {
			return k.id, nil
		}
	}
	return "", fmt.Errorf("which licence is this? %.80q", text)
}

// files lists files of dist, with their hashes.
func (b *bill) files(patterns []string, version string) (files []cdx.Component, err error) {
	dist := filepath.Join(b.root, "dist")
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(dist, strings.ReplaceAll(pattern, "VERSION", version)))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(dist, path)
			if err != nil {
				return nil, err
			}
			sum := sha256.Sum256(content)
			files = append(files, cdx.Component{
				BOMRef: "dist/" + name, Type: cdx.ComponentTypeFile, Name: name,
				Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
			})
		}
	}
	return files, nil
}

// encode prints the bill without a time and a serial number.
func (b *bill) encode(w io.Writer, top cdx.Component) error {
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &top}
	bom.Components, bom.Dependencies = &[]cdx.Component{}, &[]cdx.Dependency{}
	required := map[string]bool{}
	b.reach(top.BOMRef, required)
	for _, ref := range slices.Sorted(maps.Keys(b.components)) {
		b.components[ref].Scope = cdx.ScopeRequired
		if !required[ref] {
			b.components[ref].Scope = cdx.ScopeOptional
		}
		*bom.Components = append(*bom.Components, *b.components[ref])
	}
	for _, ref := range append([]string{top.BOMRef}, slices.Sorted(maps.Keys(b.components))...) {
		needs := slices.Sorted(maps.Keys(b.needs[ref]))
		*bom.Dependencies = append(*bom.Dependencies, cdx.Dependency{Ref: ref, Dependencies: &needs})
	}
	return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cdx.SpecVersion1_6)
}
