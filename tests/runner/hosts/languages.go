package hosts

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"automatic-rostering/tests/runner/world"
)

// language is the hosts of one language, or of one runtime of JavaScript: a folder of sdk, for which
// `tasks.sh setup` installs what they need. Its name is that of the folder.
type language struct {
	Folder string `json:"folder"`
	Hosts  []Host `json:"hosts"`
	// Adapters are those of its library, which `tasks.sh adapter` builds: see tests/adapters.
	Adapters []Host `json:"adapters"`
}

func (l language) name() string   { return path.Base(l.Folder) }
func (l language) folder() string { return filepath.Join(Root(), "sdk", l.Folder) }

// The Makefile reads it, too.
//
//go:embed languages.json
var languagesJSON []byte

// languages are those of languages.json.
var languages = sync.OnceValue(func() (all []language) {
	decoder := json.NewDecoder(bytes.NewReader(languagesJSON))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&all); err != nil {
		panic(fmt.Sprintf("languages.json: %v", err))
	}
	for _, l := range all {
		for i := range l.Hosts {
			l.Hosts[i].folder = l.folder()
		}
		for i := range l.Adapters {
			a := &l.Adapters[i]
			a.folder, a.Library = l.folder(), true
			a.Language, _, _ = strings.Cut(l.Folder, "/")
		}
	}
	return all
})

// notHere is the status of tasks.sh and setup.sh if something is missing.
const notHere = 69

// each calls f, in a subtest, with the raw hosts or libraries of each language that HOSTS names, or of all. A language whose
// toolchain is missing is skipped, and says how to get it; with CI=true that is a failure.
func each(t *testing.T, verb string, of func(language) []Host, f func(t *testing.T, h Host)) {
	for _, l := range languages() {
		if hosts := of(l); len(hosts) > 0 && Wanted(l.name()) {
			t.Run(l.name(), func(t *testing.T) {
				t.Parallel()
				Setup(t, l.name(), verb)
				for _, h := range hosts {
					t.Run(h.Name, func(t *testing.T) {
						if h.Library { // raw hosts of a language share an adapter
							t.Parallel()
						}
						f(t, h)
					})
				}
			})
		}
	}
}

// Each calls f with the raw hosts of each language, and with those of the core, which go with Go.
func Each(t *testing.T, f func(t *testing.T, h Host)) {
	if Wanted("go") {
		t.Run("core", func(t *testing.T) {
			t.Parallel()
			for _, h := range []Host{Core, CoreInFlows} {
				t.Run(h.Name, func(t *testing.T) { f(t, h) })
			}
		})
	}
	each(t, "setup", func(l language) []Host { return l.Hosts }, f)
}

// EachLibrary calls f with the adapter of each library. They run in parallel.
func EachLibrary(t *testing.T, f func(t *testing.T, h Host)) {
	each(t, "adapter", func(l language) []Host { return l.Adapters }, f)
}

// find returns a language, or a runtime of JavaScript.
func find(name string) language {
	i := slices.IndexFunc(languages(), func(l language) bool { return l.name() == name })
	if i < 0 {
		panic(fmt.Sprintf("languages.json has no language %q", name))
	}
	return languages()[i]
}

// Libraries are the adapters of a language, or of a runtime of JavaScript.
func Libraries(name string) []Host { return find(name).Adapters }

// Wanted reports whether the environment variable HOSTS, a list with commas, includes a
// language or is empty. It panics if HOSTS names an unknown language: no test would run
// then, and none fail.
func Wanted(name string) bool {
	list := os.Getenv("HOSTS")
	if list == "" {
		return true
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		find(name)
	}
	return slices.Contains(names, name)
}

// Setup installs what a language needs for a verb of its tasks.sh, setup or adapter. It skips the test if HOSTS omits the
// language.
func Setup(t *testing.T, language, verb string) {
	t.Helper()
	if !Wanted(language) {
		t.Skip("HOSTS omits " + language)
	}
	folder, runtime, _ := strings.Cut(find(language).folder(), "/runtimes/")
	prepare(t, filepath.Join(folder, "tasks.sh"), verb, runtime)
}

// Require installs what tools/programs.txt lists for some tests.
func Require(t testing.TB, who string) {
	t.Helper()
	prepare(t, filepath.Join(Root(), "tools/setup.sh"), who)
}

// prepared are the results of commands, which run once.
var prepared sync.Map

// prepare runs a command. If it misses something on the machine, the test is skipped; with CI=true that is a failure.
func prepare(t testing.TB, command ...string) {
	t.Helper()
	run, _ := prepared.LoadOrStore(strings.Join(command, " "), sync.OnceValues(func() ([]byte, error) {
		return exec.Command(command[0], command[1:]...).CombinedOutput()
	}))
	out, err := run.(func() ([]byte, error))()
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit) && exit.ExitCode() == notHere && os.Getenv("CI") != "true":
		t.Skipf("skipped: %s", bytes.TrimSpace(out))
	default:
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// Plugin returns the path of a build of the plugin. The repository has those for users. Those for tests are made from its
// sources: the test is skipped if the toolchain is missing.
func Plugin(t testing.TB, file string) string {
	t.Helper()
	path := filepath.Join(Root(), file)
	if _, err := os.Stat(path); err != nil {
		Require(t, "plugin")
		t.Fatalf("%v: run make %s", err, file)
	}
	return path
}

// redis is the Redis server that Redis has started, or nil.
var redis *world.Redis

var startRedis = sync.OnceValue(func() (err error) {
	redis, err = world.StartRedis(context.Background(), "the-password-of-redis")
	return err
})

// Redis starts Redis until the tests have ended, and returns its URL.
func Redis() (string, error) {
	if err := startRedis(); err != nil {
		return "", err
	}
	return redis.URL, nil
}
