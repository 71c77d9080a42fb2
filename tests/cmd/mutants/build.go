package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// spared are packages of plugin/core that are not part of the core.
var spared = []string{"simulation", "native", "memory"}

const internal = "automatic-rostering/plugin/core/"

// mutated is the core with all its mutants.
type mutated struct {
	folder  string // of the files that are made
	top     string
	all     []mutant // the n-th has the number n+1
	overlay string   // for go's flag -overlay
}

// listed is a package, as go list has it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, TestGoFiles    []string
	XTestGoFiles            []string
}

// mutate writes the mutated files of all packages of the core into a folder.
func mutate(top, folder string) (*mutated, []listed, error) {
	out, err := goCommand(top, "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles", "./plugin/core/...")
	if err != nil {
		return nil, nil, err
	}
	exports := map[string]string{}
	var core []listed
	for decoder := json.NewDecoder(strings.NewReader(out)); decoder.More(); {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			return nil, nil, err
		}
		exports[p.ImportPath] = p.Export
		if name, ours := strings.CutPrefix(p.ImportPath, internal); ours && !slices.Contains(spared, name) {
			core = append(core, p)
		}
	}
	m := &mutated{folder: folder, top: top, overlay: filepath.Join(folder, "overlay.json")}
	replace := map[string]string{}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range core {
		if err := m.mutate(&p, fset, imports, replace); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", p.ImportPath, err)
		}
	}
	helperFile := filepath.Join(folder, "mutant.go")
	replace[filepath.Join(core[0].Dir, "../mutant/mutant.go")] = helperFile
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(helperFile, []byte(helperSource), 0o600); err != nil {
		return nil, nil, err
	}
	return m, core, os.WriteFile(m.overlay, text, 0o600)
}

func (m *mutated) mutate(p *listed, fset *token.FileSet, imports types.Importer, replace map[string]string) error {
	var files []*ast.File
	var sources [][]byte
	for _, name := range p.GoFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files, sources = append(files, file), append(sources, source)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	if _, err := (&types.Config{Importer: imports}).Check(p.ImportPath, fset, files, info); err != nil {
		return err
	}
	pkg := strings.TrimPrefix(p.ImportPath, internal)
	for n, file := range files {
		before := len(m.all)
		one := mutator{source: sources[n], fset: fset, info: info, name: pkg + "/" + p.GoFiles[n], pkg: pkg, all: &m.all}
		text := one.file(file)
		if len(m.all) == before {
			continue // it would not use its import
		}
		made := filepath.Join(m.folder, pkg+"-"+p.GoFiles[n])
		if err := os.WriteFile(made, []byte(text), 0o600); err != nil {
			return err
		}
		replace[filepath.Join(p.Dir, p.GoFiles[n])] = made
	}
	return nil
}

// build builds a program or a test of the mutated core.
func (m *mutated) build(name string, args ...string) (string, error) {
	program := filepath.Join(m.folder, name)
	_, err := goCommand(m.top, append(args[:len(args)-1:len(args)-1], "-overlay", m.overlay, "-o", program, args[len(args)-1])...)
	return program, err
}

func goCommand(folder string, args ...string) (string, error) {
	command := exec.Command("go", args...)
	command.Dir = folder
	var failure strings.Builder
	command.Stderr = &failure
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, failure.String())
	}
	return string(out), nil
}
