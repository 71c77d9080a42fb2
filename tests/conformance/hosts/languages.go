package hosts

import (
	"bytes"
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
)

// language is the hosts of one language other than Go, or of one runtime of JavaScript: a
// folder of sdk, for which `tasks.sh setup` installs what they need. Its name is that of the
// folder.
type language struct {
	Folder string `json:"folder"`
	Hosts  []struct {
		Name    string   `json:"name"`
		Command []string `json:"command"` // starts the adapter; run in the folder
		Build   string   `json:"build"`   // of dist
	} `json:"hosts"`
	// Adapters are those of its library, which `tasks.sh adapter` builds: see tests/adapters.
	Adapters []struct {
		Name    string   `json:"name"`
		Command []string `json:"command"` // starts it; run in the folder
	} `json:"adapters"`
}

// notHere is the status of a tasks.sh that misses its toolchain.
const notHere = 69

// Each calls f, in a subtest, with the raw hosts of each language that HOSTS names, or of all. A
// language whose toolchain is missing is skipped, and says how to get it; with CI=true that
// is a failure.
func Each(t *testing.T, f func(t *testing.T, language string, hosts []Host)) {
	each(t, "setup", func(l language) []Host { return l.hosts() }, goHosts, f)
}

func each(t *testing.T, verb string, of func(language) []Host, ofGo []Host, f func(t *testing.T, language string, hosts []Host)) {
	try := func(name string, hosts []Host) {
		if len(hosts) == 0 || !Wanted(name) {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Setup(t, name, verb)
			f(t, name, hosts)
		})
	}
	try("go", ofGo)
	for _, l := range languages() {
		try(l.name(), of(l))
	}
}

// EachWithCore also calls f with the hosts of the core by itself, which go with Go.
func EachWithCore(t *testing.T, f func(t *testing.T, language string, hosts []Host)) {
	if Wanted("go") {
		t.Run("core", func(t *testing.T) {
			t.Parallel()
			f(t, "core", coreHosts)
		})
	}
	Each(t, f)
}

// EachLibrary calls f with the adapter of each library. They run in parallel.
func EachLibrary(t *testing.T, f func(t *testing.T, h Host)) {
	each(t, "adapter", func(l language) []Host { return l.libraries() }, []Host{GoLibrary}, func(t *testing.T, _ string, all []Host) {
		for _, h := range all {
			t.Run(h.Name, func(t *testing.T) {
				t.Parallel()
				f(t, h)
			})
		}
	})
}

// Library is the first adapter of a language, or of a runtime of JavaScript.
func Library(name string) Host {
	for _, l := range languages() {
		if l.name() == name {
			return l.libraries()[0]
		}
	}
	if name != GoLibrary.Name {
		panic("no library of " + name)
	}
	return GoLibrary
}

// Languages are the names of the languages and of JavaScript's runtimes: each has hosts, and
// a folder of examples.
func Languages() []string {
	names := []string{"go"}
	for _, l := range languages() {
		names = append(names, l.name())
	}
	return names
}

func (l language) name() string { return path.Base(l.Folder) }

//go:embed languages.json
var languagesJSON []byte

// languages reads languages.json, the one list of languages: the Makefile reads it too.
var languages = sync.OnceValue(func() (all []language) {
	decoder := json.NewDecoder(bytes.NewReader(languagesJSON))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&all); err != nil {
		panic(fmt.Sprintf("languages.json: %v", err))
	}
	return all
})

// Wanted reports whether the environment variable HOSTS, a list with commas, includes a
// language or is empty. It panics if HOSTS names an unknown language: no test would run
// then, and none fail.
func Wanted(name string) bool {
	list := os.Getenv("HOSTS")
	if list == "" {
		return true
	}
	names := strings.Split(list, ",")
	if typos := unknown(names); len(typos) > 0 {
		panic(fmt.Sprintf("HOSTS: unknown languages %s; use some of %s", typos, Languages()))
	}
	return slices.Contains(names, name)
}

func unknown(names []string) []string {
	known := Languages()
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(known, name) })
}

// setups are the results of each language's `tasks.sh setup` and `adapter`, which run once.
var setups sync.Map

// Setup installs what a language needs for a verb of its tasks.sh, setup or adapter. It skips the test if HOSTS omits the
// language.
func Setup(t *testing.T, language, verb string) {
	t.Helper()
	if !Wanted(language) {
		t.Skip("HOSTS omits " + language)
	}
	run, _ := setups.LoadOrStore(language+" "+verb, sync.OnceValues(func() ([]byte, error) {
		folder, runtime, _ := strings.Cut(Folder(language), "/runtimes/")
		return exec.Command(filepath.Join(folder, "tasks.sh"), verb, runtime).CombinedOutput()
	}))
	out, err := run.(func() ([]byte, error))()
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit) && exit.ExitCode() == notHere:
		Skip(t, string(bytes.TrimSpace(out)))
	default:
		t.Fatalf("tasks.sh %s: %v\n%s", verb, err, out)
	}
}

// Skip skips a test for which something is missing on the machine; with CI=true that
// is a failure.
func Skip(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skipf("skipped: %s", why)
}

// Folder returns that of a language's library, or of a runtime of JavaScript's.
func Folder(name string) string {
	for _, l := range languages() {
		if l.name() == name {
			return filepath.Join(Root(), l.folder())
		}
	}
	return filepath.Join(Root(), "sdk", name)
}

func (l language) folder() string { return filepath.Join("sdk", l.Folder) }

func (l language) hosts() (hosts []Host) {
	for _, h := range l.Hosts {
		hosts = append(hosts, Host{
			Name: h.Name, Folder: l.folder(), Command: h.Command,
			Wasm: filepath.Join("dist", h.Build), WASI: !strings.Contains(h.Build, "nowasi"),
		})
	}
	return hosts
}

func (l language) libraries() (all []Host) {
	language, _, _ := strings.Cut(l.Folder, "/")
	for _, a := range l.Adapters {
		all = append(all, Host{Name: a.Name, Language: language, Folder: l.folder(), Command: a.Command, Library: true})
	}
	return all
}

// RequireRedis skips a test if Redis is missing.
func RequireRedis(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		Skip(t, "redis-server is missing: apt-get install redis-server")
	}
}
