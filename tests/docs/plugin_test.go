package docs

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"

	"automatic-rostering/tests/conformance/hosts"
)

// The programs of docs/plugin.md and README.md that use the raw plugin run as they stand there. On a page, one in Python
// continues the one before it.
func TestProgramsOfTheRawPlugin(t *testing.T) {
	s, err := sandbox.Start(t.Context(), sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	variables := s.Env(sandbox.Stage)

	manifest := map[string]any{}
	if err := json.Unmarshal([]byte(read(t, "docs/manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	config := map[string]string{}
	for key := range manifest["config"].(map[string]any) {
		config[key] = variables["ROSTERING_"+strings.ToUpper(key)]
	}
	manifest["config"], manifest["allowed_hosts"] = config, []string{"127.0.0.1"}
	filled, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}

	python := filepath.Join(hosts.Root(), "sdk/python/.venv/bin/python")
	last := "\nimport concurrent.futures\nids = [f'c-{i}' for i in range(50)]\n" +
		"with concurrent.futures.ThreadPoolExecutor(8) as threads:\n" +
		"    for id, jobs in zip(ids, threads.map(lambda id: call('list_jobs', customer_id=id), ids)):\n" +
		"        assert json.loads(jobs)['customer_id'] == id, jobs\n"
	for _, p := range []struct{ page, language, host, program, file, end string }{
		{"README.md", "python", "python", python, "jobs.py", ""},
		{"docs/plugin.md", "python", "python", python, "jobs.py", last},
		{"docs/plugin.md", "js", "node", "node", "jobs.mjs", ""},
	} {
		t.Run(p.page+" "+p.language, func(t *testing.T) {
			if !hosts.Wanted(p.host) {
				t.Skip("not in HOSTS")
			}
			t.Parallel()
			hosts.Setup(t, p.host, "setup")
			folder := t.TempDir()
			text := sections(read(t, p.page), "Programs", "One thread at a time", "The raw plugin")
			code := ""
			for _, block := range strings.Split(text, "```"+p.language+"\n")[1:] {
				code += strings.Split(block, "```")[0]
			}
			for name, content := range map[string]string{p.file: code + p.end, "manifest.json": string(filled)} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for name, of := range map[string]string{"dist": "dist", "node_modules": "sdk/javascript/node_modules"} {
				if err := os.Symlink(filepath.Join(hosts.Root(), of), filepath.Join(folder, name)); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			command := exec.CommandContext(ctx, p.program, p.file)
			command.Dir = folder
			command.Env = append(os.Environ(), "NO_PROXY=127.0.0.1", "ROSTERING_WASM="+filepath.Join(hosts.Root(), "dist/rostering.wasm"))
			for name, value := range variables {
				command.Env = append(command.Env, name+"="+value)
			}
			out, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "sandbox-job-1") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
