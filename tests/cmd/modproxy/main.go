// Modproxy writes the modules for users into dist/go, which the go command reads as a module proxy: GOPROXY=file://FOLDER.
// Their zip files are those that a proxy makes of the repository. The same files give the same bytes.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"automatic-rostering.example/rostering/tests/runner/hosts"
)

// export writes the files that a commit would have now into $0. What was built beside them is not the modules'.
const export = `commit=$(git stash create)
git archive "${commit:-HEAD}" | tar -xC "$0"`

func main() {
	source, err := os.MkdirTemp("", "modproxy")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(source) }()
	archive := exec.Command("bash", "-euo", "pipefail", "-c", export, source)
	archive.Dir, archive.Stderr = hosts.Root(), os.Stderr
	if err := archive.Run(); err != nil {
		log.Panicf("git: %v", err)
	}
	number, err := os.ReadFile(filepath.Join(source, "VERSION"))
	if err != nil {
		log.Panic(err)
	}
	for _, folder := range []string{".", "sdk/go/redisstore", "sandbox", "cli"} {
		if err := publish(filepath.Join(source, folder), "v"+strings.TrimSpace(string(number))); err != nil {
			log.Panicf("%s: %v", folder, err)
		}
	}
}

func publish(folder, version string) error {
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	path := modfile.ModulePath(mod)
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, module.Version{Path: path, Version: version}, folder); err != nil {
		return err
	}
	to := filepath.Join(hosts.Root(), "dist/go", filepath.FromSlash(path), "@v")
	err = errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o755))
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version), // the time in all packages
		version + ".mod":  mod,
		version + ".zip":  archive.Bytes(),
	} {
		err = errors.Join(err, os.WriteFile(filepath.Join(to, name), content, 0o644))
	}
	return err
}
