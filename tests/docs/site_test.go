package docs

import (
	"os/exec"
	"path/filepath"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/hosts"
)

// The site of the pages can be built: make site adds the references.
func TestSite(t *testing.T) {
	t.Parallel()
	hosts.Setup(t, "python", "setup")
	if out, err := exec.CommandContext(t.Context(), filepath.Join(hosts.Root(), "tools/site/site.sh")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
