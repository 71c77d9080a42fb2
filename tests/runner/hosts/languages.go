package hosts

import (
	"bytes"
	"context"
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

	"automatic-rostering.example/rostering/tests/runner/world"
)

const (
	wasi   = "plugin/rostering.wasm"
	noWASI = "plugin/rostering-nowasi.wasm"

	rawGo     = "go run -C ../../tests ./adapters/raw/go"
	rawPython = ".venv/bin/python ../../tests/adapters/raw/raw.py"
	rawJava   = jvm + " -cp target/test-classes:target/lib/* raw.Raw"
	rawJS     = "../../../../tests/adapters/raw/raw.js"
	python    = "build/adapter/bin/python ../../tests/adapters/python/adapter.py"
	java      = jvm + " -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=1 -cp target/adapter/classes:target/adapter/lib/*"
	jvm       = "java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djdk.httpclient.redirects.retrylimit=1" // for short runs
	js        = "../../../../tests/adapters/javascript/main.js"
	workerd   = "node ../../../../tests/adapters/javascript/workerd.js"
)

// The hosts of the core alone.
var (
	Core        = Host{Folder: "go", Name: "core", All: true}
	CoreInFlows = Host{Folder: "go", Name: "core-in-flows", All: true, Flows: true}
)

// players are all hosts, those of a folder together. tools/languages.txt lists the folders.
var players = []Host{
	Core, CoreInFlows,
	{Folder: "go", Name: "core-built", Build: "plugin/rostering-core.wasm", All: true, Flows: true},
	{Folder: "go", Name: "go", Command: rawGo, Build: wasi, All: true},
	{Folder: "go", Name: "go-nowasi", Command: rawGo, Build: noWASI},
	{Folder: "go", Name: "go-poison", Command: rawGo, Build: "build/rostering-poison.wasm", All: true},
	{Folder: "go", Name: "go", Command: "../../build/adapters/go/adapter", Library: true},
	{Folder: "c", Name: "c", Command: "build/adapter", Library: true},
	{Folder: "python", Name: "python", Command: rawPython, Build: wasi},
	{Folder: "python", Name: "python-nowasi", Command: rawPython, Build: noWASI},
	{Folder: "python", Name: "python-threads", Command: python, Library: true},
	{Folder: "python", Name: "python-async", Command: python + " --async", Library: true},
	{Folder: "java", Name: "java", Command: rawJava, Build: wasi},
	{Folder: "java", Name: "java-nowasi", Command: rawJava, Build: noWASI},
	{Folder: "java", Name: "java", Command: java + " adapter.Adapter", Library: true},
	{Folder: "javascript/runtimes/node", Name: "node", Command: "./node " + rawJS, Build: wasi},
	{Folder: "javascript/runtimes/node", Name: "node-worker", Command: "node " + rawJS, Build: noWASI},
	{Folder: "javascript/runtimes/node", Name: "node", Command: "node " + js, Library: true},
	{Folder: "javascript/runtimes/deno", Name: "deno", Command: "./deno run -A --no-check " + rawJS, Build: wasi},
	{Folder: "javascript/runtimes/deno", Name: "deno", Command: "./deno run -A --no-check " + js, Library: true},
	{Folder: "javascript/runtimes/bun", Name: "bun", Command: "./bun --no-install " + rawJS, Build: noWASI},
	{Folder: "javascript/runtimes/bun", Name: "bun", Command: "./bun --no-install " + js, Library: true},
	{Folder: "rust", Name: "rust", Command: "target/release/rostering-adapter", Library: true},
	{Folder: "javascript/runtimes/workerd", Name: "workerd", Command: workerd + " ../raw/worker.ts", Build: noWASI},
	{Folder: "javascript/runtimes/workerd", Name: "workerd", Command: workerd, Library: true},
}

// notHere is the status of tasks.sh and setup.sh if something is missing.
const notHere = 69

// of returns the players of a language, or of a runtime of JavaScript.
func of(language string) []Host {
	all := slices.DeleteFunc(slices.Clone(players), func(h Host) bool { return path.Base(h.Folder) != language })
	if len(all) == 0 {
		panic(fmt.Sprintf("no player is of the language %q", language))
	}
	return all
}

// Libraries are the adapters of a language, or of a runtime of JavaScript.
func Libraries(language string) []Host {
	return slices.DeleteFunc(of(language), func(h Host) bool { return !h.Library })
}

// Each calls f, in a subtest, with the core and the raw hosts of each language that HOSTS names, or of all. A language whose
// toolchain is missing is skipped, and says how to get it; with CI=true that is a failure.
func Each(t *testing.T, f func(t *testing.T, h Host)) { each(t, "setup", false, f) }

// EachLibrary does the same with the adapter of each library.
func EachLibrary(t *testing.T, f func(t *testing.T, h Host)) { each(t, "adapter", true, f) }

func each(t *testing.T, verb string, library bool, f func(t *testing.T, h Host)) {
	for i, first := range players {
		language := path.Base(first.Folder)
		hosts := slices.DeleteFunc(of(language), func(h Host) bool { return h.Library != library })
		if i > 0 && players[i-1].Folder == first.Folder || len(hosts) == 0 || !Wanted(language) {
			continue
		}
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			Setup(t, language, verb)
			for _, h := range hosts {
				t.Run(h.Name, func(t *testing.T) {
					if h.Build == "" { // raw hosts of a language share an adapter
						t.Parallel()
					}
					f(t, h)
				})
			}
		})
	}
}

// Wanted reports whether the environment variable HOSTS, a list with commas, includes a
// language or is empty. It panics if HOSTS names an unknown language: no test would run
// then, and none fail.
func Wanted(language string) bool {
	list := os.Getenv("HOSTS")
	if list == "" {
		return true
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		of(name)
	}
	return slices.Contains(names, language)
}

// Setup installs what a language needs for a verb of its tasks.sh, setup or adapter. It skips the test if HOSTS omits the
// language.
func Setup(t *testing.T, language, verb string) {
	t.Helper()
	if !Wanted(language) {
		t.Skip("HOSTS omits " + language)
	}
	folder, runtime, _ := strings.Cut(of(language)[0].folder(), "/runtimes/")
	Prepare(t, filepath.Join(folder, "tasks.sh"), verb, runtime)
}

// Require installs what tools/setup.sh lists for some tests.
func Require(t testing.TB, who string) {
	t.Helper()
	Prepare(t, filepath.Join(Root(), "tools/setup.sh"), who)
}

// prepared are the results of commands, which run once.
var prepared sync.Map

// Prepare runs a command. If it misses something on the machine, the test is skipped; with CI=true that is a failure.
func Prepare(t testing.TB, command ...string) {
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

// Redis starts Redis until the tests have ended, and returns its URL.
var Redis = sync.OnceValues(func() (url string, err error) {
	if redis, err = world.StartRedis(context.Background(), "the-password-of-redis"); err != nil {
		return "", err
	}
	return redis.URL, nil
})
