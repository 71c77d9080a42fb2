package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// patience bounds every wait.
const patience = 60 * time.Second

// program is the worker in one language.
type program struct {
	language string // a folder of host-example
	command  []string
}

var programs = []program{
	{"node", []string{"node", "--disable-warning=ExperimentalWarning", "fleet.js"}},
	{"python", []string{".venv/bin/python", "fleet.py"}},
}

func (p program) folder() string { return filepath.Join("..", "host-example", p.language) }

// worker is a process of the fleet.
type worker struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	log     bytes.Buffer
}

// answer is what a worker says of its calls.
type answer struct {
	Calls     int    `json:"calls"`
	Token     string `json:"token"` // the beginning of its hash
	ExpiresAt int64  `json:"expires_at"`
}

func (p program) start(ctx context.Context, variables []string) (*worker, error) {
	name := p.command[0]
	if filepath.Base(name) != name {
		name = filepath.Join(p.folder(), name)
	}
	name, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	if name, err = filepath.Abs(name); err != nil {
		return nil, err
	}
	w := &worker{command: exec.CommandContext(ctx, name, p.command[1:]...)}
	w.command.Dir = p.folder()
	w.command.Env = append(append(os.Environ(), "NO_PROXY=127.0.0.1"), variables...)
	w.command.Stderr = &w.log
	if w.in, err = w.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewReader(out)
	return w, w.command.Start()
}

// call has a worker make calls. If it takes too long, the worker is ended.
func (w *worker) call(calls int) (answer, error) {
	end := time.AfterFunc(patience, w.kill)
	defer end.Stop()
	if _, err := fmt.Fprintln(w.in, calls); err != nil {
		return answer{}, err
	}
	line, err := w.out.ReadBytes('\n')
	if err != nil {
		return answer{}, fmt.Errorf("a worker ended in the middle: %w", err)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return answer{}, err
	}
	if a.Calls != calls {
		return answer{}, fmt.Errorf("a worker made %d calls of %d", a.Calls, calls)
	}
	return a, nil
}

// kill ends the process in the middle of what it does.
func (w *worker) kill() { _ = w.command.Process.Kill() }

// close lets it end by itself.
func (w *worker) close() {
	_ = w.in.Close()
	end := time.AfterFunc(patience, w.kill)
	defer end.Stop()
	_ = w.command.Wait()
}
