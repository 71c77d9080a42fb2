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
	"path"
	"path/filepath"
	"regexp"
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
		if err := publishModule(os.DirFS(filepath.Join(top, dir)), folder, "v"+strings.TrimSpace(string(number))); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

var declared = regexp.MustCompile(`(?m)^module (\S+)$`)

func publishModule(module fs.FS, folder, version string) error {
	mod, err := fs.ReadFile(module, "go.mod")
	if err != nil {
		return err
	}
	name := string(declared.FindSubmatch(mod)[1])
	archive, err := pack(module, name+"@"+version+"/")
	to := filepath.Join(folder, filepath.FromSlash(name), "@v")
	err = errors.Join(err, os.RemoveAll(to), os.MkdirAll(to, 0o755))
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

// pack makes a module's zip file, whose names begin with prefix. It omits other modules, this program, hidden files, and the
// tests, most of which need build/sandbox. Without times and modes, the same files give the same bytes.
func pack(module fs.FS, prefix string) ([]byte, error) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	err := fs.WalkDir(module, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case entry.IsDir():
			if _, other := fs.Stat(module, path.Join(name, "go.mod")); other == nil || name == "internal/modproxy" {
				return fs.SkipDir
			}
			return nil
		case strings.HasSuffix(name, "_test.go") || strings.HasPrefix(entry.Name(), "."):
			return nil
		}
		content, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		file, err := w.Create(prefix + name)
		if err == nil {
			_, err = file.Write(content)
		}
		return err
	})
	err = errors.Join(err, w.Close())
	return archive.Bytes(), err
}
