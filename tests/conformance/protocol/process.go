package protocol

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Process is a host that runs.
type Process struct {
	// Bound is the longest that one answer may take, Grace the longest that the end
	// may take.
	Bound, Grace time.Duration

	mutex   sync.Mutex // one request at a time
	command *exec.Cmd
	in      io.WriteCloser
	lines   chan []byte
}

// Start starts a host in a folder. Close ends it.
func Start(ctx context.Context, folder, name string, args ...string) (*Process, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = folder
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("host %s: %w", name, err)
	}
	p := &Process{Bound: 30 * time.Second, Grace: 5 * time.Second, command: command, in: in, lines: make(chan []byte)}
	go p.read(out)
	return p, nil
}

func (p *Process) read(out io.Reader) {
	defer close(p.lines)
	reader := bufio.NewReader(out) // not a Scanner: an answer may be of any length
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return
		}
		p.lines <- line
	}
}

// Do sends a request and waits for its answer. A host that dies, hangs or prints
// anything else is an error.
func (p *Process) Do(r Request) (Answer, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	line, err := json.Marshal(r)
	if err != nil {
		return Answer{}, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return Answer{}, fmt.Errorf("the host takes no request: %w", err)
	}
	select {
	case line, open := <-p.lines:
		if !open {
			return Answer{}, fmt.Errorf("the host ended instead of answering a %s", r.Op)
		}
		var a Answer
		if err := json.Unmarshal(line, &a); err != nil {
			return Answer{}, fmt.Errorf("the host answered a %s with %.200q: %w", r.Op, line, err)
		}
		return a, nil
	case <-time.After(p.Bound):
		return Answer{}, fmt.Errorf("the host did not answer a %s within %s", r.Op, p.Bound)
	}
}

// Close asks the host to end, by closing its input, and makes it end if it does not.
func (p *Process) Close() error {
	p.in.Close()
	ended := make(chan error, 1)
	go func() { ended <- p.command.Wait() }()
	for {
		select {
		case err := <-ended:
			return err
		case _, open := <-p.lines: // what it still had to say
			if !open {
				p.lines = nil
			}
		case <-time.After(p.Grace):
			p.command.Process.Kill()
			return <-ended
		}
	}
}
