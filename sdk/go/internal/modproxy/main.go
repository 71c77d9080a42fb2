// Modproxy writes the modules for users into a folder that the go command reads as a module proxy,
// GOPROXY=file://FOLDER. The same files give the same bytes.
//
//	go run ./internal/modproxy TOP FOLDER
//
// TOP is the top folder of the repository.
package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// sources are the folders of the modules.
var sources = []string{"sdk/go", "sdk/go/redisstore", "sandbox"}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: modproxy TOP FOLDER")
	}
	if err := publish(os.Args[1], os.Args[2]); err != nil {
		log.Fatal("modproxy: ", err)
	}
}

func publish(top, folder string) error {
	number, err := os.ReadFile(filepath.Join(top, "VERSION"))
	if err != nil {
		return err
	}
	for _, dir := range sources {
		if err := publishModule(top, dir, folder, "v"+strings.TrimSpace(string(number))); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

var module = regexp.MustCompile(`(?m)^module (\S+)$`)

func publishModule(top, dir, folder, version string) error {
	mod, err := os.ReadFile(filepath.Join(top, dir, "go.mod"))
	if err != nil {
		return err
	}
	path := string(module.FindSubmatch(mod)[1])
	files, err := filesOf(filepath.Join(top, dir))
	if err != nil {
		return err
	}
	archive, err := pack(path+"@"+version+"/", files)
	if err != nil {
		return err
	}
	to := filepath.Join(folder, filepath.FromSlash(path), "@v")
	err = errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o755))
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version), // the time in all packages
		version + ".mod":  mod,
		version + ".zip":  archive,
	} {
		err = errors.Join(err, os.WriteFile(filepath.Join(to, name), content, 0o644))
	}
	return err
}

// file is a file of a module: its path there, and where it is.
type file struct{ name, at string }

// pack makes a module's zip file, whose names begin with prefix. Without times and modes, the same files give the same bytes.
func pack(prefix string, files []file) ([]byte, error) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, f := range files {
		content, err := os.ReadFile(f.at)
		if err != nil {
			return nil, err
		}
		entry, err := w.Create(prefix + f.name)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return archive.Bytes(), err
}

// forContributors are folders that users do without.
var forContributors = []string{"internal/bench", "internal/modproxy"}

// filesOf lists the files of a module, in the order of their paths. It omits other modules, hidden files, and the tests, most
// of which need build/sandbox.
func filesOf(dir string) (files []file, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			_, noModule := os.Stat(filepath.Join(path, "go.mod"))
			if noModule == nil || slices.Contains(forContributors, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(entry.Name(), ".") {
			files = append(files, file{name, path})
		}
		return nil
	})
	return files, err
}
