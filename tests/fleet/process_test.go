package fleet

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
	"slices"
	"strings"
	"syscall"
	"time"

	"automatic-rostering/tests/conformance/hosts"
)

// patience bounds every wait.
const patience = 60 * time.Second

// worker is a process of the fleet.
type worker struct {
	language string
	command  *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	log      bytes.Buffer // complete when the process has ended
}

// start starts the program fleet of a language.
func start(ctx context.Context, language string, variables []string) (*worker, error) {
	run := filepath.Join(hosts.Root(), "host-example", language, "run.sh")
	w := &worker{language: language, command: exec.CommandContext(ctx, run, "fleet")}
	own := func(variable string) bool { return strings.HasPrefix(variable, "ROSTERING_") }
	w.command.Env = append(append(slices.DeleteFunc(os.Environ(), own), "NO_PROXY=127.0.0.1"), variables...)
	w.command.Stderr = &w.log
	w.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // for signal
	in, err := w.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := w.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.in, w.out = in, bufio.NewReader(out)
	return w, w.command.Start()
}

// report is what a process reports of its calls.
type report struct {
	Calls     int    `json:"calls"`
	Token     string `json:"token"` // the beginning of its hash
	ExpiresAt int64  `json:"expires_at"`
}

// call has the process make calls. If that takes too long, the process is killed.
func (w *worker) call(calls int) (r report, err error) {
	end := time.AfterFunc(patience, w.kill)
	defer end.Stop()
	// A process that has ended shows in the one or the other, as it happens.
	_, err = fmt.Fprintln(w.in, calls)
	var line []byte
	if err == nil {
		line, err = w.out.ReadBytes('\n')
	}
	if err != nil {
		return r, fmt.Errorf("a %s process ended before it responded: %w", w.language, err)
	}
	if err := json.Unmarshal(line, &r); err != nil || r.Calls != calls {
		return r, fmt.Errorf("a %s process was to make %d calls and says %q", w.language, calls, line)
	}
	return r, nil
}

// kill ends the process in the middle of what it does.
func (w *worker) kill() { _ = w.signal(syscall.SIGKILL) }

// signal sends a signal to the process, and those that it is made of.
func (w *worker) signal(s syscall.Signal) error { return syscall.Kill(-w.command.Process.Pid, s) }

// close lets the process end on its own.
func (w *worker) close() {
	_ = w.in.Close()
	end := time.AfterFunc(patience, w.kill)
	defer end.Stop()
	_ = w.command.Wait()
}
