package runner

import (
	"cmp"
	"os"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/hosts"
)

// A raw host outside of the repository plays what every raw host must. ADAPTER is the command of its adapter, with absolute paths,
// and BUILD the plugin's file for it.
func TestYourHost(t *testing.T) {
	command := os.Getenv("ADAPTER")
	if command == "" {
		t.Skip("ADAPTER names no host")
	}
	playAll(t, hosts.Host{Folder: "go", Name: "yours", Command: command, Build: cmp.Or(os.Getenv("BUILD"), "plugin/rostering.wasm")})
}
