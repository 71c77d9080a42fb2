// Modproxy writes the modules for users into a folder that the go command reads as a module
// proxy, GOPROXY=file://FOLDER:
//
//	go run ./cmd/modproxy TOP FOLDER
//
// TOP is the top folder of the repository, after make build. The same files give the same
// bytes.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// source is a module with the files of the top folder that it also holds.
type source struct {
	dir string
	top []string
}

var sources = []source{
	{"sdk/go", []string{"LICENSE", "THIRD_PARTY_NOTICES.md"}},
	{"sdk/go/redisstore", []string{"LICENSE"}},
	{"sandbox", []string{"LICENSE"}},
}

// published is the time of each version: 1767225600 in seconds, as in all packages.
var published = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: modproxy TOP FOLDER")
	}
	if err := publish(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// publish writes all modules.
func publish(top, folder string) error {
	version, err := os.ReadFile(filepath.Join(top, "VERSION"))
	if err != nil {
		return err
	}
	if err := checkPlugin(top); err != nil {
		return err
	}
	for _, s := range sources {
		if err := s.publish(top, folder, "v"+strings.TrimSpace(string(version))); err != nil {
			return fmt.Errorf("%s: %w", s.dir, err)
		}
	}
	return nil
}

const plugin = "rostering-nowasi.wasm"

// checkPlugin makes sure that the package does not contain an older plugin than the one next to it.
func checkPlugin(top string) error {
	built, err := os.ReadFile(filepath.Join(top, "dist", plugin))
	if err != nil {
		return fmt.Errorf("run make build first: %w", err)
	}
	inside, err := os.ReadFile(filepath.Join(top, sources[0].dir, "wasm", plugin))
	if err != nil || !bytes.Equal(inside, built) {
		return errors.New("the plugin in the library differs from dist: run make build")
	}
	return nil
}

func (s source) publish(top, folder, version string) error {
	mod, err := os.ReadFile(filepath.Join(top, s.dir, "go.mod"))
	if err != nil {
		return err
	}
	m := module.Version{Path: modfile.ModulePath(mod), Version: version}
	files, err := s.files(top)
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, m, files); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, published})
	if err != nil {
		return err
	}
	return write(filepath.Join(folder, filepath.FromSlash(m.Path), "@v"), map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": info, version + ".mod": mod, version + ".zip": archive.Bytes(),
	})
}

func write(dir string, files map[string][]byte) error {
	err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755))
	for name, content := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	return err
}

// file is a file of a module, with its path in the module.
type file struct{ name, at string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (fs.FileInfo, error)  { return os.Lstat(f.at) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.at) }

// files finds the files of a module.
func (s source) files(top string) (files []zip.File, err error) {
	dir := filepath.Join(top, s.dir)
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && (isModule(path) || name == filepath.FromSlash("internal/sandbox")):
			return fs.SkipDir
		case !entry.IsDir() && !leftOut(entry.Name()):
			files = append(files, file{filepath.ToSlash(name), path})
		}
		return nil
	})
	for _, name := range s.top {
		files = append(files, file{name, filepath.Join(top, name)})
	}
	return files, err
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// leftOut says which files a package does without: the tests, most of which need build/sandbox,
// and .gitignore, which would hide the plugin from git in a vendor folder.
func leftOut(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".")
}
