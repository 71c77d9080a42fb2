package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"
)

// The servers that can have faults.
const (
	AuthServer = "auth"
	JobsServer = "jobs"
)

// maxDelay bounds a delay: 10 minutes, in milliseconds. With a longer one the sandbox would seem to hang.
const maxDelay = 10 * 60 * 1000

// Fault makes a server misbehave. It affects the requests that [Counts] counts.
//
// A delay or a hold can be combined with a status or a cut-off. Alone, it means a late but
// otherwise normal response.
type Fault struct {
	// Status, if not zero, replaces the normal response: 200 to 599.
	Status int `json:"status"`
	// Headers are the headers of that response, such as Retry-After.
	Headers map[string]string `json:"headers"`
	// Body is the body of that response (default: an error that says that it is made up).
	Body string `json:"body"`
	// DelayMS is the number of milliseconds before the response or the cut-off.
	DelayMS int64 `json:"delay_ms"`
	// Hold holds back the response or the cut-off until the fault is cleared or replaced,
	// or the client has disconnected.
	Hold bool `json:"hold"`
	// CutOff closes the connection without a response. Many HTTP clients, including Go's,
	// silently retry a GET that was cut off on a reused connection, so that a cut-off of
	// one request has no effect.
	CutOff bool `json:"cut_off"`
	// Requests is the number of requests that are affected; zero means all, until the
	// fault is cleared.
	Requests int `json:"requests"`
}

func (f Fault) validate() error {
	switch {
	case f.Status == 0 && f.DelayMS == 0 && !f.Hold && !f.CutOff:
		return errors.New("a fault needs a status, a delay, a hold or a cut-off")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	case f.Status != 0 && f.CutOff:
		return errors.New("a fault has either a status or a cut-off")
	case f.Status == 0 && (len(f.Headers) > 0 || f.Body != ""):
		return errors.New("headers and body need a status")
	case !areHeaders(f.Headers):
		return errors.New("the name of a header must be a token, and its value one line")
	case f.Body != "" && !hasBody(f.Status):
		return fmt.Errorf("a response with status %d has no body", f.Status)
	case f.DelayMS < 0 || f.DelayMS > maxDelay:
		return fmt.Errorf("delay_ms %d is not between 0 and %d", f.DelayMS, maxDelay)
	case f.Hold && f.DelayMS != 0:
		return errors.New("a fault has either a delay or a hold")
	case f.Requests < 0:
		return errors.New("requests must not be negative")
	default:
		return nil
	}
}

func areHeaders(headers map[string]string) bool {
	for name, value := range headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return false
		}
	}
	return true
}

func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

func (f Fault) delay() time.Duration { return time.Duration(f.DelayMS) * time.Millisecond }

// String describes the fault in a few words.
func (f Fault) String() string {
	var words []string
	if f.DelayMS > 0 {
		words = append(words, "slow, "+f.delay().String())
	}
	if f.Hold {
		words = append(words, "hangs")
	}
	if f.CutOff {
		words = append(words, "down")
	}
	if f.Status != 0 {
		words = append(words, fmt.Sprint(f.Status))
	}
	if after := f.Headers["Retry-After"]; after != "" {
		words = append(words, "Retry-After "+after)
	}
	if f.Requests > 0 {
		words = append(words, fmt.Sprintf("%d more", f.Requests))
	}
	return strings.Join(words, ", ")
}

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

// String describes the fault in a few words, or returns "" if there is none.
func (i *injector) String() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fault == nil {
		return ""
	}
	return i.fault.String()
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
	case h.DelayMS == 0:
		return true
	default:
		late, h.over = time.After(h.delay()), nil
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
