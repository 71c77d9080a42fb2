// Package runner plays the rules of tests/rules on all players, and compares pages with them.
package runner

import (
	"cmp"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/play"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// Many players play at once, whatever the number of processors: they mostly wait. The secrets are those of the rule
// hostile-servers.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(hosts.Main(m, "aaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaac"))
}

// The rules of the plugin hold on the core, the built file and raw hosts.
func TestPlugin(t *testing.T) {
	t.Parallel()
	hosts.Each(t, playAll)
}

// The rules of client libraries hold for each, and so do those of the plugin that a library can break. No test asserts a
// duration: what must not wait ends while the test holds back what it must not wait for.
func TestLibraries(t *testing.T) {
	t.Parallel()
	hosts.EachLibrary(t, playAll)
}

// playAll plays the cases of a player: on an instance of the plugin in one world if they are scripted; on a library each in its own.
// While a heavy one plays, nothing else does on this player: others would be measured with it, or wait behind it.
func playAll(t *testing.T, h hosts.Host) {
	player := h.Start(t)
	scripted := world.New()
	t.Cleanup(scripted.Close)
	play := func(c *rule.Case) {
		t.Run(c.FullName(), func(t *testing.T) {
			require(t, c)
			player, w := player, scripted
			if c.TLS() {
				player, w = trusting(t, h)
			} else if h.Library || !c.Scripted() {
				w = world.New()
				defer w.Close()
			}
			if c.Process != nil && !c.TLS() {
				player = separate(t, h, c.Process)
			}
			err, gap := player.Case(w, c), !h.Library && h.Differs(c.Differences)
			switch {
			case err != nil && !gap:
				t.Errorf("%s: %v", c.Anchor, err) // which is a section of docs/contract.md
			case err == nil && gap:
				t.Error("this host is said not to do this, but it does")
			}
		})
	}
	all := cases(t, h)
	slices.SortStableFunc(all, func(a, b rule.Case) int { return cmp.Compare(b.LongestTimeout(), a.LongestTimeout()) })
	light := slices.DeleteFunc(slices.Clone(all), func(c rule.Case) bool { return c.Heavy() })
	heavy := slices.DeleteFunc(all, func(c rule.Case) bool { return !c.Heavy() })
	playHeavy := func() {
		for i := range heavy {
			play(&heavy[i])
		}
		<-busy
	}
	select {
	case busy <- true:
		playHeavy()
		playLight(h, light, play)
	default: // until another player is ready
		playLight(h, light, play)
		busy <- true
		playHeavy()
	}
}

// busy has a place for each player that plays heavy cases, which keep a processor busy.
var busy = make(chan bool, 2)

// playLight plays cases on a library many at once, as most wait for something, and on others one after the other.
func playLight(h hosts.Host, cases []rule.Case, play func(*rule.Case)) {
	atOnce := 1
	if h.Library {
		atOnce = 8
	}
	queue := make(chan *rule.Case)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for c := range queue {
				play(c)
			}
		})
	}
	for i := range cases {
		queue <- &cases[i]
	}
	close(queue)
	workers.Wait()
}

// trusting is a separate process of a library, and servers over TLS that it trusts: see docs/operations.md.
func trusting(t *testing.T, h hosts.Host) (*play.Player, *world.World) {
	w, authority, err := world.NewTLS(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	trust := []string{"SSL_CERT_FILE=" + authority, "NODE_EXTRA_CA_CERTS=" + authority, "DENO_CERT=" + authority}
	if h.Folder == "java" {
		store := authority + ".p12"
		keytool := exec.Command("keytool", "-importcert", "-noprompt", "-file", authority, "-keystore", store, "-storepass", "changeit")
		if out, err := keytool.CombinedOutput(); err != nil {
			t.Fatalf("keytool: %v\n%s", err, out)
		}
		trust = []string{"JDK_JAVA_OPTIONS=-Djavax.net.ssl.trustStore=" + store + " -Djavax.net.ssl.trustStorePassword=changeit"}
	}
	return separate(t, h, trust), w
}

// separate is a process of a library with these variables in its environment.
func separate(t *testing.T, h hosts.Host, variables []string) *play.Player {
	p, err := h.Process(t.Context(), os.Stderr, variables...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return &play.Player{Adapter: p, Process: p, Library: true}
}

// require skips a case for which something is missing on the machine.
func require(t *testing.T, c *rule.Case) {
	t.Helper()
	if strings.Contains(string(c.Raw), `"redis"`) {
		hosts.Require(t, "redis")
	}
	for _, s := range c.Steps {
		if file := s.Input.Wasm(); file != "" {
			hosts.Plugin(t, file)
		}
	}
}

// plays reports whether a player plays a case: tests/rules/README.md has the players.
func plays(h hosts.Host, r *rule.Rule, c *rule.Case) bool {
	switch {
	case h.Library && (h.Differs(r.Differences) || h.Differs(c.Differences)):
		return false
	case h.Flows && h.Build == "" && !c.InFlows():
		return false
	case h.Flows && h.Build != "" && c.NeedsDirect():
		return false
	case h.Library:
		return c.Players == "libraries" || c.Players == "everywhere" && play.Expressible(c)
	}
	return c.Players == "everywhere" || c.Players == "plugin" && h.All
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
