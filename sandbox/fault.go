package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
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
// A delay or a hold can be combined with any other effect. Alone, it means a late but otherwise normal response.
type Fault struct {
	// Server is [AuthServer] or [JobsServer].
	Server string `json:"server"`
	// Path, if not empty, limits the fault to requests to this path, such as /jobs. Such a fault comes before that of
	// all paths.
	Path string `json:"path,omitempty"`
	// Status, if not zero, replaces the normal response: 200 to 599.
	Status int `json:"status,omitempty"`
	// Headers are the headers of that response, such as Retry-After.
	Headers map[string]string `json:"headers,omitempty"`
	// Body is the body of that response, which may be empty (default: an error that says that it is made up).
	Body *string `json:"body,omitempty"`
	// DelayMS is the number of milliseconds before the response or the cut-off.
	DelayMS int64 `json:"delay_ms,omitempty"`
	// Hold holds back the response or the cut-off until the fault is cleared or replaced, or the client has
	// disconnected.
	Hold bool `json:"hold,omitempty"`
	// CutOff closes the connection without a response. Many HTTP clients, including Go's, silently retry a GET that
	// was cut off on a reused connection, so that a cut-off of one request has no effect.
	CutOff bool `json:"cut_off,omitempty"`
	// Token has fields that replace those of a token response, such as expires_in. A null removes one.
	Token map[string]json.RawMessage `json:"token,omitempty"`
	// BOM begins a response of the identity provider with a byte order mark.
	BOM bool `json:"bom,omitempty"`
	// OldRevocations has the service accept the tokens that were revoked since the fault was set.
	OldRevocations bool `json:"old_revocations,omitempty"`
	// Requests is the number of requests that are affected; zero means all, until the fault is cleared.
	Requests int `json:"requests,omitempty"`
}

func (f Fault) validate() error {
	switch {
	case f.Server != AuthServer && f.Server != JobsServer:
		return fmt.Errorf("server must be %q or %q", AuthServer, JobsServer)
	case f.Path != "" && f.Path[0] != '/' || strings.Contains(f.Path, "?"):
		return errors.New("path must begin with / and have no query")
	case !f.changesToken() && !f.OldRevocations && !f.replaces() && f.DelayMS == 0 && !f.Hold:
		return errors.New("a fault needs a status, a delay, a hold, a cut-off, a token, a bom or old_revocations")
	case f.changesToken() && (f.replaces() || f.Server != AuthServer):
		return errors.New("token and bom belong to the identity provider, without a status or a cut-off")
	case f.OldRevocations && (f.replaces() || f.Server != JobsServer):
		return errors.New("old_revocations belongs to the service, without a status or a cut-off")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	case f.Status != 0 && f.CutOff:
		return errors.New("a fault has either a status or a cut-off")
	case f.Status == 0 && (len(f.Headers) > 0 || f.Body != nil):
		return errors.New("headers and body need a status")
	case !areHeaders(f.Headers):
		return errors.New("the name of a header must be a token, and its value one line")
	case f.Body != nil && *f.Body != "" && !hasBody(f.Status):
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

// replaces reports whether there is no normal response.
func (f Fault) replaces() bool { return f.Status != 0 || f.CutOff }

func (f Fault) changesToken() bool { return len(f.Token) > 0 || f.BOM }

// token is what RFC 9110 allows as the name of a header.
var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

func areHeaders(headers map[string]string) bool {
	for name, value := range headers {
		if !token.MatchString(name) || strings.ContainsAny(value, "\r\n\x00") {
			return false
		}
	}
	return true
}

func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// place is what has one fault at a time.
type place struct{ server, path string }

// active is a fault that was set. When its requests are spent, it still holds some of them.
type active struct {
	Fault
	began time.Time
	spent bool
	over  chan struct{} // closed when the fault is cleared or replaced
}

// faults has the faults of the servers and applies them to requests.
type faults struct {
	closing <-chan struct{} // ends delays when the sandbox closes

	mu  sync.Mutex
	all map[place]*active
}

// set sets a fault, and releases the requests that the last one there holds.
func (f *faults) set(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := place{fault.Server, fault.Path}
	f.release(at)
	f.all[at] = &active{Fault: fault, began: time.Now(), over: make(chan struct{})}
}

// end ends the faults of some places, or of all, and releases the requests that they hold.
func (f *faults) end(places ...place) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.release(places...)
}

func (f *faults) release(places ...place) {
	for at, a := range f.all {
		if len(places) == 0 || slices.Contains(places, at) {
			close(a.over)
			delete(f.all, at)
		}
	}
}

// list returns the faults that still affect requests.
func (f *faults) list() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := []Fault{} // not nil, which in JSON would be null
	for _, a := range f.all {
		if !a.spent {
			list = append(list, a.Fault)
		}
	}
	slices.SortFunc(list, func(a, b Fault) int { return strings.Compare(a.Server+a.Path, b.Server+b.Path) })
	return list
}

// take returns the fault for one request, and counts that request.
func (f *faults) take(server, path string) (active, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, path := range []string{path, ""} {
		a, ok := f.all[place{server, path}]
		if !ok || a.spent {
			continue
		}
		taken := *a
		a.spent = a.Requests == 1
		if a.Requests > 1 {
			a.Requests--
		}
		return taken, true
	}
	return active{}, false
}

// wrap applies the fault of a server, if there is one, before next.
func (f *faults) wrap(server string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hit, ok := f.take(server, r.URL.Path)
		if ok && (!f.wait(r, hit) || hit.CutOff) {
			panic(http.ErrAbortHandler) // This makes net/http close the connection.
		}
		if hit.Status == 0 {
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), hitKey{}, hit)))
			return
		}
		hit.respond(w)
	})
}

// hitKey is the key of a context with the fault of the request.
type hitKey struct{}

func faultOf(r *http.Request) (hit active) {
	hit, _ = r.Context().Value(hitKey{}).(active)
	return hit
}

// alter returns the body of a response of the identity provider with the changes of the fault.
func (f Fault) alter(body []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) == nil && fields["access_token"] != nil {
		maps.Copy(fields, f.Token)
		maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
		body, _ = json.Marshal(fields)
	}
	if f.BOM {
		body = append([]byte("\ufeff"), body...)
	}
	return body
}

// wait waits as long as the fault says. It reports false if the client disconnects first, or the sandbox closes.
func (f *faults) wait(r *http.Request, hit active) bool {
	if hit.DelayMS == 0 && !hit.Hold {
		return true
	}
	var late <-chan time.Time
	if !hit.Hold {
		late, hit.over = time.After(time.Duration(hit.DelayMS)*time.Millisecond), nil
	}
	select {
	case <-late:
		return true
	case <-hit.over:
		return true
	case <-r.Context().Done():
		return false
	case <-f.closing:
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
	case f.Body == nil:
		writeProblem(w, f.Status, "sandbox_fault", "this fault was switched on in the sandbox")
	default:
		if w.Header().Get("Content-Type") == "" && json.Valid([]byte(*f.Body)) {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, *f.Body)
	}
}
