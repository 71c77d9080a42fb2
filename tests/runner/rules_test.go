// Package runner plays the rules of tests/rules on all players, and compares pages with them.
package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/play"
	"automatic-rostering/tests/runner/rule"
	"automatic-rostering/tests/runner/world"
)

func TestMain(m *testing.M) { os.Exit(hosts.Main(m, hostileSecrets...)) }

// The rules of the plugin hold on the core, the built file and raw hosts.
func TestPlugin(t *testing.T) {
	t.Parallel()
	hosts.Each(t, func(t *testing.T, _ string, all []hosts.Host) {
		for _, h := range all {
			t.Run(h.Name, func(t *testing.T) { playAll(t, h) })
		}
	})
}

// The rules of client libraries hold for each, and so do those of the plugin that a library can break. No test asserts a
// duration: what must not wait ends while the test holds back what it must not wait for.
func TestLibraries(t *testing.T) {
	t.Parallel()
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) { playAll(t, h) })
}

// playAll plays the cases of a player. On an instance of the plugin, scripted cases share a world. On a library, they run beside
// the others, some at a time, as slow ones do; these begin first.
func playAll(t *testing.T, h hosts.Host) {
	player := h.Start(t)
	if player.Process != nil {
		player.Process.Bound = world.Patience
	}
	if *update && h.Command != nil {
		noteVersions(t, h)
	}
	scripted := world.New()
	t.Cleanup(scripted.Close)
	play := func(c *rule.Case, name, kind string) {
		t.Run(c.Rule+"/"+name, func(t *testing.T) {
			require(t, c, kind)
			player, w := player, scripted
			if c.TLS {
				player, w = trusting(t, h)
			} else if h.Library || !c.Scripted() {
				w = world.New()
				defer w.Close()
			}
			err, gap := player.Case(w, c, kind), !h.Library && h.Differs(c.Differences)
			switch {
			case err != nil && !gap:
				t.Errorf("%v%s", err, section(c))
			case err == nil && gap:
				t.Error("this host is said not to do this, but it does")
			}
		})
	}
	var slow, others []func()
	for _, c := range cases(t, h) {
		for name, kind := range kinds(&c) {
			play := func() { play(&c, name, kind) }
			if c.Alone || c.Memory > 0 || c.Floods() { // alone: others would be measured with it, or wait for it
				play()
			} else if c.Slow || h.Library && c.Scripted() { // it may wait out a backoff
				slow = append(slow, play)
			} else {
				others = append(others, play)
			}
		}
	}
	queue := make(chan func(), len(slow)) // in order, so that few of those that keep a player busy come together
	for _, play := range slow {
		queue <- play
	}
	close(queue)
	var beside sync.WaitGroup
	defer beside.Wait()
	for range 16 {
		beside.Go(func() {
			for play := range queue {
				play()
			}
		})
	}
	for _, play := range others {
		play()
	}
}

// trusting is a separate process of a library, and servers over TLS that it trusts: see docs/operations.md.
func trusting(t *testing.T, h hosts.Host) (*play.Player, *world.World) {
	authority := filepath.Join(t.TempDir(), "ca.pem")
	w, err := world.NewTLS(authority)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	trust := []string{"SSL_CERT_FILE=" + authority, "NODE_EXTRA_CA_CERTS=" + authority, "DENO_CERT=" + authority}
	if h.Language == "java" {
		store := authority + ".p12"
		keytool := exec.Command("keytool", "-importcert", "-noprompt", "-file", authority, "-keystore", store, "-storepass", "changeit")
		if out, err := keytool.CombinedOutput(); err != nil {
			t.Fatalf("keytool: %v\n%s", err, out)
		}
		trust = []string{"JDK_JAVA_OPTIONS=-Djavax.net.ssl.trustStore=" + store + " -Djavax.net.ssl.trustStorePassword=changeit"}
	}
	p, err := h.Process(t.Context(), os.Stderr, trust...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return &play.Player{Adapter: p, Process: p, Library: true}, w
}

// require skips a case for which something is missing on the machine.
func require(t *testing.T, c *rule.Case, kind string) {
	t.Helper()
	if kind == "redis" {
		hosts.RequireRedis(t)
	}
	for _, s := range c.Steps {
		if s.Wasm != "" {
			hosts.Plugin(t, s.Wasm)
		}
	}
}

// plays reports whether a player plays a case: tests/rules/README.md has the players.
func plays(h hosts.Host, r *rule.Rule, c *rule.Case) bool {
	switch {
	case h.Library && (h.Differs(r.Differences) || h.Differs(c.Differences)):
		return false
	case h.Flows && !c.InFlows(), c.Fleet != nil:
		return false
	case h.Library:
		return c.Players == "libraries" || c.Players == "everywhere" && play.Expressible(c)
	}
	return c.Players == "everywhere" || c.Players == "plugin" && h.All
}

func section(c *rule.Case) string {
	if c.Anchor == "" {
		return ""
	}
	return "\nrule: docs/contract.md#" + c.Anchor
}

// kinds are the names under which a case is played, each with the kind of the store each.
func kinds(c *rule.Case) map[string]string {
	if c.Stores == nil {
		return map[string]string{c.Name: ""}
	}
	all := map[string]string{}
	for _, kind := range c.Stores {
		all[c.Name+", "+kind] = kind
	}
	return all
}

func load(t *testing.T) []rule.Rule {
	t.Helper()
	rules, err := rule.Load(os.DirFS(filepath.Join(hosts.Root(), "tests/rules")))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// cases are those that a player plays.
func cases(t *testing.T, h hosts.Host) (all []rule.Case) {
	for _, r := range load(t) {
		all = append(all, slices.DeleteFunc(slices.Clone(r.Cases), func(c rule.Case) bool { return !plays(h, &r, &c) })...)
	}
	return all
}

// hostileSecrets are those of the rule hostile-servers.
var hostileSecrets = []string{"aaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaac"}
