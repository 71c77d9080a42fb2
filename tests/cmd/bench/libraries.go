package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// library is a client library, with the goal for the cost of a call next to the bare client.
type library struct {
	name   string
	folder string // of its bench.sh
	args   []string
	goal   float64
}

// libraries are all of them. The bare client is what the library sends its requests with; in
// Go, golang.org/x/oauth2.
var libraries = []library{
	{"go", "go", nil, 1.2},
	{"node", "javascript/runtimes/node", nil, 1.3},
	{"deno", "javascript/runtimes/deno", nil, 1.3},
	{"bun", "javascript/runtimes/bun", nil, 1.3},
	{"python", "python", nil, 1.3},
	{"python, async", "python", []string{"async"}, 1.2},
	{"java", "java", nil, 1.2},
	{"rust", "rust", nil, 1.2},
	{"rust, blocking", "rust", []string{"blocking"}, 1.2},
	{"c", "c", nil, 1.2},
}

// block is a number of calls that a library's program makes, and what they cost.
type block struct {
	Who     string `json:"who"`
	Calls   int    `json:"calls"`
	AtOnce  int    `json:"at_once"`
	PauseMS int    `json:"pause_ms"`
}

type blockCost struct {
	CPU  int64   `json:"cpu_us"`
	Wall []int64 `json:"wall_us"`
}

// program is a library's program, which runs.
type program struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
}

func (l *library) start(s *server) (*program, error) {
	script, err := filepath.Abs(filepath.Join("../sdk", l.folder, "bench.sh"))
	if err != nil {
		return nil, err
	}
	command := exec.Command(script, l.args...)
	command.Env = append(os.Environ(), s.env()...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &program{command, in, json.NewDecoder(out)}, command.Start()
}

func (p *program) run(b block) (c blockCost, err error) {
	if err := json.NewEncoder(p.in).Encode(b); err != nil {
		return c, err
	}
	if err := p.out.Decode(&c); err != nil {
		return c, fmt.Errorf("%w in place of the result of %+v", err, b)
	}
	if len(c.Wall) != b.Calls {
		return c, fmt.Errorf("%d times for %d calls", len(c.Wall), b.Calls)
	}
	slices.Sort(c.Wall)
	return c, nil
}

func (p *program) end() error {
	_ = p.in.Close()
	return p.command.Wait()
}

// beside runs blocks of the library and of the bare client in turns, and returns the ratios of
// figure for each pair, sorted.
func (l *library) beside(s *server, warmUp, rounds int, b block, figure func(blockCost) int64) (ratios []float64, err error) {
	p, err := l.start(s)
	if err != nil {
		return nil, err
	}
	defer func() {
		if ended := p.end(); err == nil {
			err = ended
		}
	}()
	for n := range warmUp + rounds {
		var figures [2]float64
		for i, who := range []string{"library", "bare"} {
			b.Who = who
			c, err := p.run(b)
			if err != nil {
				return nil, err
			}
			figures[i] = float64(figure(c))
		}
		if n >= warmUp {
			ratios = append(ratios, figures[0]/figures[1])
		}
	}
	slices.Sort(ratios)
	return ratios, nil
}

func cpu(c blockCost) int64     { return c.CPU }
func median(c blockCost) int64  { return c.Wall[len(c.Wall)/2] }
func slowest(c blockCost) int64 { return c.Wall[len(c.Wall)-1] }

// spread shows ratios: their median, and the least and the largest.
func spread(ratios []float64) string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
}

// compareLibraries measures each library next to its bare client.
func compareLibraries(w io.Writer, hosts []string) error {
	fast, err := serve(&server{lifetime: time.Hour})
	if err != nil {
		return err
	}
	defer fast.close()
	slow, err := serve(&server{lifetime: time.Hour, service: 50 * time.Millisecond})
	if err != nil {
		return err
	}
	defer slow.close()

	const row = "%-16s %-22s %-22s %6s  %-22s %14s\n"
	fmt.Fprintf(w, "\n"+row, "a warm list_jobs,", "CPU, one at once", "16 at once", "goal", "median, 200 at once", "slowest with")
	fmt.Fprintf(w, row, "next to bare HTTP", "", "", "", "at 50 ms (goal 1.3)", "renewals (2)")
	for _, l := range libraries {
		if len(hosts) > 0 && !slices.Contains(hosts, filepath.Base(l.folder)) {
			continue
		}
		one, err := l.beside(fast, 3, 15, block{Calls: 400, AtOnce: 1}, cpu)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		many, err := l.beside(fast, 3, 15, block{Calls: 800, AtOnce: 16}, cpu)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		waits, err := l.beside(slow, 1, 5, block{Calls: 2000, AtOnce: 200}, median)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		renewals, err := l.renewals()
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		fmt.Fprintf(w, row, l.name, spread(one), spread(many), fmt.Sprintf("%.1f", l.goal), spread(waits), renewals)
	}
	return nil
}

// renewals measures the slowest of 10,000 calls while the token is renewed ten times, at a token endpoint
// that takes a second, next to the slowest of as many without a renewal, at the same time.
func (l *library) renewals() (string, error) {
	var servers [2]*server
	var programs [2]*program
	for i, lifetime := range []time.Duration{6 * time.Second, time.Hour} {
		s, err := serve(&server{lifetime: lifetime, endpoint: time.Second})
		if err != nil {
			return "", err
		}
		defer s.close()
		p, err := l.start(s)
		if err != nil {
			return "", err
		}
		servers[i], programs[i] = s, p
	}
	var slowestOf [2]int64
	var errs [2]error
	var both sync.WaitGroup
	for i, p := range programs {
		both.Go(func() {
			for _, calls := range []int{1000, 10_000} { // the first are the warm-up
				c, err := p.run(block{Who: "library", Calls: calls, AtOnce: 16, PauseMS: 50})
				if err != nil {
					errs[i] = err
					return
				}
				slowestOf[i] = slowest(c)
			}
			errs[i] = p.end()
		})
	}
	both.Wait()
	for _, err := range errs {
		if err != nil {
			return "", err
		}
	}
	if n := servers[0].tokens.Load(); n < 10 {
		return "", fmt.Errorf("only %d token requests", n)
	}
	return fmt.Sprintf("%.1f (%s ms)", float64(slowestOf[0])/float64(slowestOf[1]), milliseconds(slowestOf[:])), nil
}

func milliseconds(us []int64) string {
	var all []string
	for _, n := range us {
		all = append(all, fmt.Sprintf("%.0f", float64(n)/1000))
	}
	return strings.Join(all, "/")
}
