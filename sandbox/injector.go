package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"
)

// injector holds the fault of one server and applies it to requests.
type injector struct {
	closing <-chan struct{} // ends delays when the sandbox closes

	mu    sync.Mutex
	fault *Fault
	over  chan struct{} // closed when the last fault that was set is cleared or replaced
}

// set sets a fault, or none, and releases the requests that the last one holds.
func (i *injector) set(f *Fault) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.over != nil {
		close(i.over)
	}
	i.fault, i.over = f, make(chan struct{})
}

// hit is a fault that affects one request.
type hit struct {
	Fault
	over <-chan struct{}
}

// take returns the fault for one request, and counts that request.
func (i *injector) take() (hit, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fault == nil {
		return hit{}, false
	}
	h := hit{*i.fault, i.over}
	switch h.Requests {
	case 0:
	case 1:
		i.fault = nil
	default:
		i.fault.Requests--
	}
	return h, true
}

// current returns a copy of the fault, or nil.
func (i *injector) current() *Fault {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fault == nil {
		return nil
	}
	f := *i.fault
	return &f
}

// wrap applies the fault, if there is one, before next.
func (i *injector) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, ok := i.take()
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		if !i.wait(r, h) || h.CutOff {
			// This makes net/http close the connection.
			panic(http.ErrAbortHandler)
		}
		if h.Status == 0 {
			next.ServeHTTP(w, r)
			return
		}
		h.respond(w)
	})
}

// wait waits as long as the fault says. It reports false if the client disconnected, or the
// sandbox closed, meanwhile.
func (i *injector) wait(r *http.Request, h hit) bool {
	var late <-chan time.Time
	switch {
	case h.Hold:
	case h.Delay == 0:
		return true
	default:
		late, h.over = time.After(h.Delay), nil
	}
	select {
	case <-late:
		return true
	case <-h.over:
		return true
	case <-r.Context().Done():
		return false
	case <-i.closing:
		return false
	}
}

func (f Fault) respond(w http.ResponseWriter) {
	for name, value := range f.Headers {
		w.Header().Set(name, value)
	}
	switch {
	case !hasBody(f.Status):
		w.WriteHeader(f.Status)
	case f.Body == "":
		writeProblem(w, f.Status, "sandbox_fault", "this fault was switched on in the sandbox")
	default:
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", contentType(f.Body))
		}
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Body)
	}
}

func contentType(body string) string {
	if json.Valid([]byte(body)) {
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}
