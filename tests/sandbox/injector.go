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
}

func (i *injector) set(f Fault) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fault = &f
}

func (i *injector) clear() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fault = nil
}

// take returns the fault for one request and counts that request off.
func (i *injector) take() (Fault, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fault == nil {
		return Fault{}, false
	}
	f := *i.fault
	switch f.Requests {
	case 0:
	case 1:
		i.fault = nil
	default:
		i.fault.Requests--
	}
	return f, true
}

// wrap applies the fault, if there is one, before next.
func (i *injector) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := i.take()
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		if !i.wait(r, f.Delay) || f.CutOff {
			// This is how net/http is told to close the connection.
			panic(http.ErrAbortHandler)
		}
		if f.Status == 0 {
			next.ServeHTTP(w, r)
			return
		}
		f.answer(w)
	})
}

// wait reports false if the client or the sandbox has gone meanwhile.
func (i *injector) wait(r *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	case <-i.closing:
		return false
	}
}

func (f Fault) answer(w http.ResponseWriter) {
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	switch {
	case !hasBody(f.Status):
		w.WriteHeader(f.Status)
	case f.Body == "":
		writeProblem(w, f.Status, "sandbox_fault", "this fault was switched on in the sandbox")
	default:
		w.Header().Set("Content-Type", contentType(f.Body))
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
