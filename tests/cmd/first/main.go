// Command first measures processes that make one call, and what clients cost in processes that run, and prints tables for
// docs/benchmarks.md. It needs the ROSTERING_* variables of build/sandbox: make bench-first.
package main

import (
	"fmt"
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

// language has the program jobs of host-example, which gets a token and lists the jobs once.
type language struct {
	name    string
	build   []string // what `tasks.sh setup` leaves out: a release build
	runtime []string // what the program runs on, without the library; true for a compiled language
	jobs    []string
}

var languages = []language{
	{
		"go", []string{"go", "build", "-C", "host-example/go", "-o", "../../build/first-go", "./jobs"},
		[]string{"true"}, []string{"build/first-go"},
	},
	{"node", nil, []string{"node", "-e", "0"}, []string{"node", "--disable-warning=ExperimentalWarning", "host-example/node/jobs.js"}},
	{
		"python, with httpx", nil, []string{"sdk/python/.venv/bin/python", "-c", "import httpx"},
		[]string{"sdk/python/.venv/bin/python", "host-example/python/jobs.py"},
	},
	{
		"rust", []string{
			"cargo", "build", "--locked", "--quiet", "--release", "--manifest-path", "host-example/rust/Cargo.toml",
			"--target-dir", "sdk/rust/target", "--bin", "jobs",
		},
		[]string{"true"}, []string{"sdk/rust/target/release/jobs"},
	},
	{"c", nil, []string{"true"}, []string{"host-example/c/build/jobs"}},
	{"java", nil, []string{"java", "-version"}, []string{"host-example/run.sh", "java", "jobs"}},
}

// process is a command with the least time and the most memory of all its rounds.
type process struct {
	command []string
	least   time.Duration
	peak    int // KB
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "first:", err)
		os.Exit(1)
	}
}

func run() error {
	if os.Getenv("ROSTERING_BASE_URL") == "" {
		return fmt.Errorf("ROSTERING_BASE_URL is not set: run make bench-first")
	}
	var names []string
	var processes []*process // of each name: the runtime, the first call
	for _, l := range languages {
		if l.build != nil {
			if out, err := exec.Command(l.build[0], l.build[1:]...).CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "without %s: %v: %.500s\n", l.name, err, out)
				continue
			}
		}
		first := &process{command: l.jobs, least: math.MaxInt64}
		if err := first.run(); err != nil { // also warms the caches of files
			fmt.Fprintf(os.Stderr, "without %s: %v\n", l.name, err)
			continue
		}
		names = append(names, l.name)
		processes = append(processes, &process{command: l.runtime, least: math.MaxInt64}, first)
	}
	for range rounds { // in turns, so that a busy machine slows all of them
		for _, p := range processes {
			if err := p.run(); err != nil {
				return err
			}
		}
	}
	fmt.Println("| process | runtime alone | first call | above the runtime | peak memory, runtime alone | peak memory |")
	fmt.Println("| --- | --- | --- | --- | --- | --- |")
	for i, name := range names {
		alone, first := processes[2*i], processes[2*i+1]
		fmt.Printf("| %s | %s | %s | %s | %s | %s |\n", name, milliseconds(alone.least), milliseconds(first.least),
			milliseconds(first.least-alone.least), megabytes(alone.peak), megabytes(first.peak))
	}
	return clients()
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }

func megabytes(kb int) string {
	if kb == 0 {
		return "" // it ended before it was looked at
	}
	return fmt.Sprintf("%.1f MB", float64(kb)/1000)
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
	peak := filepath.Join("/proc", strconv.Itoa(command.Process.Pid), "status")
	for {
		select {
		case err := <-ended:
			p.least = min(p.least, time.Since(began))
			if err != nil {
				return fmt.Errorf("%s: %w: %.500s", strings.Join(p.command, " "), err, output)
			}
			return nil
		case <-time.After(2 * time.Millisecond):
			p.peak = max(p.peak, highest(peak))
		}
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+([0-9]+) kB`)

// highest reads the most memory of a running process so far. What the kernel reports at its end would include that of
// the process that started it.
func highest(status string) int {
	text, _ := os.ReadFile(status)
	found := highWater.FindSubmatch(text)
	if found == nil {
		return 0 // it has ended
	}
	kb, _ := strconv.Atoi(string(found[1]))
	return kb
}
