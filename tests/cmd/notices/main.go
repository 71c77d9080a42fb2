// Command notices prints THIRD_PARTY_NOTICES.md: the licences of what is linked into the
// plugin.
//
//	go run ./cmd/notices >../THIRD_PARTY_NOTICES.md
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/linked"
)

func main() {
	if err := write(os.Stdout, hosts.Root()); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

const head = `# Third-party notices

The WebAssembly files of the plugin, and so every package that has one inside, contain code of these projects. ` +
	"`make notices`" + ` writes this file.
`

func write(w io.Writer, root string) error {
	parts, err := linked.Parts(root)
	if err != nil {
		return err
	}
	text := head
	for _, p := range parts {
		name := p.Name
		if p.Module { // the versions of tools vary with the machine
			name += " " + p.Version
		}
		text += fmt.Sprintf("\n## %s\n\n```text\n%s\n```\n", name, strings.TrimSpace(p.License))
	}
	_, err = io.WriteString(w, text)
	return err
}
