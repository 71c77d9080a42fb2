// Command first measures processes that make one call, and what clients cost in processes that run, and prints tables for
// docs/benchmarks.md. It needs the ROSTERING_* variables of build/sandbox: make bench-first.
package main

import (
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const rounds = 20

// languages have the program jobs of host-example, which gets a token and lists the jobs once.
var languages = []struct {
	name    string
	runtime []string // what the program runs on, without the library; true for a compiled language
	jobs    []string
}{
	{"go", []string{"true"}, []string{"build/first-go"}},
	{"node", []string{"node", "-e", "0"}, []string{"node", "--disable-warning=ExperimentalWarning", "host-example/node/jobs.js"}},
	{"python, with httpx", []string{python, "-c", "import httpx"}, []string{python, "host-example/python/jobs.py"}},
	{"rust", []string{"true"}, []string{"sdk/rust/target/release/jobs"}},
	{"c", []string{"true"}, []string{"host-example/c/build/jobs"}},
	{"java", []string{"java", "-version"}, []string{"host-example/run.sh", "java", "jobs"}},
}

const python = "sdk/python/.venv/bin/python"

func main() {
	log.SetFlags(0)
	if os.Getenv("ROSTERING_BASE_URL") == "" {
		log.Fatal("first: ROSTERING_BASE_URL is not set: run make bench-first")
	}
	if out, err := exec.Command("go", "build", "-C", "host-example/go", "-o", "../../build/first-go", "./jobs").CombinedOutput(); err != nil {
		log.Fatalf("first: %v: %s", err, out)
	}
	processes()
	clients()
}

// row prints one of a table.
func row(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }

func megabytes(kb int) string {
	if kb == 0 {
		return "" // it ended before it was looked at
	}
	return fmt.Sprintf("%.1f MB", float64(kb)/1000)
}

// process is a command with the least time and the most memory of all its rounds.
type process struct {
	name    string
	command []string
	least   time.Duration
	peak    int // KB
}

// processes prints what the first call of a process costs.
func processes() {
	var all []*process // of each language: the runtime, the first call
	for _, l := range languages {
		first := &process{l.name, l.jobs, math.MaxInt64, 0}
		if err := first.run(); err != nil { // also warms the caches of files
			log.Printf("without %s: %v", l.name, err)
			continue
		}
		all = append(all, &process{l.name, l.runtime, math.MaxInt64, 0}, first)
	}
	for range rounds { // in turns, so that a busy machine slows all of them
		for _, p := range all {
			if err := p.run(); err != nil {
				log.Fatal("first: ", err)
			}
		}
	}
	row("process", "runtime alone", "first call", "above the runtime", "peak memory, runtime alone", "peak memory")
	row("---", "---", "---", "---", "---", "---")
	for i := 0; i < len(all); i += 2 {
		alone, first := all[i], all[i+1]
		row(first.name, milliseconds(alone.least), milliseconds(first.least), milliseconds(first.least-alone.least), megabytes(alone.peak), megabytes(first.peak))
	}
}

func (p *process) run() error {
	command := exec.Command(p.command[0], p.command[1:]...)
	output := new(strings.Builder)
	command.Stdout, command.Stderr = output, output
	began := time.Now()
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			p.least = min(p.least, time.Since(began))
			if err != nil {
				return fmt.Errorf("%s: %w: %.500s", strings.Join(p.command, " "), err, output)
			}
			return nil
		case <-time.After(2 * time.Millisecond):
			p.peak = max(p.peak, memory(command.Process.Pid, "VmHWM"))
		}
	}
}

// memory reads a field of what the kernel says about the memory of a running process, in KB: VmHWM is the most so far. What the
// kernel reports at the end of a process would include that of the one that started it.
func memory(pid int, field string) (kb int) {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if found := regexp.MustCompile(field + `:\s+([0-9]+) kB`).FindSubmatch(text); found != nil { // otherwise it has ended
		kb, _ = strconv.Atoi(string(found[1]))
	}
	return kb
}
