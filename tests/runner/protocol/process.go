package protocol

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// Process is a running host. Its methods may be called from several goroutines.
type Process struct {
	// Bound is the longest that one response or the end may take, and four times that for open, where hosts compile the plugin.
	Bound time.Duration

	command *exec.Cmd
	ended   chan struct{} // closed when the host's output was read

	sending sync.Mutex
	in      *os.File
	last    int64 // the last id

	mutex   sync.Mutex
	pending map[int64]*Pending
	broken  error            // set once: the host can be used no more
	logs    map[string][]Log // of each client
}

// Pending is a request whose response may not have arrived yet.
type Pending struct {
	// ID is that of the request.
	ID int64

	bound    time.Duration
	op       string
	done     chan struct{} // closed when the other fields are set
	response Response
	err      error
}

// Start starts a host in a folder, with variables in addition to those of this process; its standard
// error goes to stderr. Close ends it.
func Start(ctx context.Context, folder string, variables []string, stderr io.Writer, name string, args ...string) (*Process, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Env = append(os.Environ(), variables...)
	command.Dir = folder
	command.Stderr = stderr
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
	p := &Process{
		Bound: 2 * time.Minute, command: command, in: in.(*os.File), ended: make(chan struct{}),
		pending: map[int64]*Pending{}, logs: map[string][]Log{},
	}
	go p.read(out)
	return p, nil
}

// Do sends a request and waits for its response. A host that dies, hangs or prints
// anything else is an error.
func (p *Process) Do(r Request) (Response, error) {
	pending, err := p.Send(r)
	if err != nil {
		return Response{}, err
	}
	return pending.Response()
}

// Send sends a request and does not wait for its response. Requests leave in the order in
// which they were sent.
func (p *Process) Send(r Request) (*Pending, error) {
	p.sending.Lock()
	defer p.sending.Unlock()
	p.last++
	r.ID = p.last
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	pending := &Pending{ID: r.ID, bound: p.Bound, op: r.Op, done: make(chan struct{})}
	if r.Op == "open" {
		pending.bound *= 4
	}
	p.mutex.Lock()
	broken := p.broken
	if broken == nil {
		p.pending[r.ID] = pending
	}
	p.mutex.Unlock()
	if broken != nil {
		return nil, broken
	}
	_ = p.in.SetWriteDeadline(time.Now().Add(p.Bound))
	_, _ = p.in.Write(append(line, '\n')) // without it, there is no response
	return pending, nil
}

// Responded is a request that has this response.
func Responded(a Response) *Pending {
	pending := &Pending{response: a, bound: time.Second, done: make(chan struct{})}
	close(pending.done)
	return pending
}

// Ended reports whether the response, or an error instead, is there.
func (pending *Pending) Ended() bool {
	select {
	case <-pending.done:
		return true
	default:
		return false
	}
}

// Response waits for the response, as long as the process's Bound allows.
func (pending *Pending) Response() (Response, error) {
	select {
	case <-pending.done:
		return pending.response, pending.err
	case <-time.After(pending.bound):
		// It stays pending: its response may still come, for nobody.
		return Response{}, fmt.Errorf("the host did not respond to a %s within %s", pending.op, pending.bound)
	}
}

// Logs returns the lines that a client has logged so far.
func (p *Process) Logs(client string) []Log {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.logs[client])
}

// Broken reports whether the host can be used no more.
func (p *Process) Broken() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.broken != nil
}

// Close asks the host to end, by closing its input, and kills it if it does not.
func (p *Process) Close() error {
	_ = p.in.Close()
	kill := time.AfterFunc(p.Bound, func() { _ = p.command.Process.Kill() })
	defer kill.Stop()
	select {
	case <-p.ended: // Wait would close what is not read yet
	case <-time.After(p.Bound):
	}
	return p.command.Wait()
}

// read passes each response to the request that it belongs to. When it ends, so do all pending requests,
// and later ones are refused.
func (p *Process) read(out io.Reader) {
	defer close(p.ended)
	reader := bufio.NewReader(out) // not a Scanner: a response may be of any length
	var broken error
	for broken == nil {
		line, err := reader.ReadBytes('\n')
		if broken = errors.New("the host has ended"); err == nil {
			broken = p.take(line)
		}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.broken = broken
	for _, pending := range p.pending {
		pending.err = fmt.Errorf("%w instead of responding to a %s", broken, pending.op)
		close(pending.done)
	}
	p.pending = nil
}

func (p *Process) take(line []byte) error {
	var a Response
	if err := json.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("the host printed %.200q: %w", line, err)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if a.Event == "log" {
		p.logs[a.Client] = append(p.logs[a.Client], a.Log)
		return nil
	}
	pending := p.pending[a.ID]
	if pending == nil {
		return fmt.Errorf("the host responded to a request that is not pending: %.200q", line)
	}
	delete(p.pending, a.ID)
	pending.response = a
	close(pending.done)
	return nil
}

// PID is the process's id.
func (p *Process) PID() int { return p.command.Process.Pid }
