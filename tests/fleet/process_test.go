package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"syscall"
	"time"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
)

// patience bounds every wait.
const patience = 60 * time.Second

// worker is a process of the fleet: the adapter of a library, with one client.
type worker struct {
	language string
	process  *protocol.Process
	log      output
}

// output is what a process writes to standard error.
type output struct {
	mutex sync.Mutex
	bytes bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.bytes.Write(b)
}

// start starts a process of a language, whose client has a config by variables, and a store or none.
func start(ctx context.Context, language string, variables map[string]string, store *protocol.Store) (*worker, error) {
	w := &worker{language: language}
	var err error
	if w.process, err = hosts.Library(language).Process(ctx, &w.log); err != nil {
		return nil, err
	}
	w.process.Bound = patience
	return w, w.do(&protocol.Response{}, protocol.Request{Op: "open", Open: protocol.Open{Variables: variables, Store: store}})
}

func (w *worker) do(a *protocol.Response, r protocol.Request) (err error) {
	r.Client = "c"
	if *a, err = w.process.Do(r); err == nil && a.Error+a.Trap+a.Misuse != "" {
		err = fmt.Errorf("%s%s%s", a.Error, a.Trap, a.Misuse)
	}
	if err != nil {
		return fmt.Errorf("a %s process: %w", w.language, err)
	}
	return nil
}

// report is what a process reports of its calls.
type report struct {
	calls     int
	token     string
	expiresAt int64
}

// call has the process make calls, none of which may fail. If that takes too long, it is killed.
func (w *worker) call(calls int) (r report, err error) {
	var a protocol.Response
	for range calls {
		if err = w.do(&a, protocol.Request{Op: "list_jobs"}); err != nil {
			w.kill()
			return r, err
		}
	}
	if calls == 0 {
		return r, nil
	}
	if err = w.do(&a, protocol.Request{Op: "get_token"}); err != nil {
		return r, err
	}
	var token struct {
		AccessToken string `json:"access_token"`
		ExpiresAt   int64  `json:"expires_at"`
	}
	err = json.Unmarshal(a.Token, &token)
	return report{calls, token.AccessToken, token.ExpiresAt}, err
}

// kill ends the process in the middle of what it does.
func (w *worker) kill() { _ = w.signal(syscall.SIGKILL) }

func (w *worker) signal(s syscall.Signal) error { return syscall.Kill(w.process.PID(), s) }

// close lets the process end on its own, and returns what it has written.
func (w *worker) close() (log string) {
	_ = w.process.Close()
	for _, l := range w.process.Logs("c") {
		log += l.Line + "\n"
	}
	return log + w.log.bytes.String()
}
