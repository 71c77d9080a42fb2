package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	maxEntries = 1000     // that the journal keeps
	maxSize    = 16 << 20 // of these requests, in bytes
	maxExcerpt = 8 << 10  // of a body in the journal
	cutOff     = -1       // the status of a request that was cut off
)

// Counts is the number of requests that have arrived.
type Counts struct {
	// TokenRequests counts requests to /connect/token of the identity provider.
	TokenRequests int `json:"token_requests"`
	// JobRequests counts requests to any path of the jobs service.
	JobRequests int `json:"job_requests"`
}

// Request is a request as it arrived. It includes tokens and secrets, which are valid only in this sandbox.
type Request struct {
	Server string `json:"server"`
	Method string `json:"method"`
	// Target is the path with the query.
	Target string `json:"target"`
	// Headers has the headers by their names in lower case. Several with one name are joined by ", ".
	Headers map[string]string `json:"headers"`
	// Form has the fields of a token request, which has no Body.
	Form map[string]string `json:"form,omitempty"`
	// Body is the first 8 KiB of the body.
	Body string `json:"body"`
	// Length is the length of the whole body, in bytes.
	Length int `json:"length"`
	// Status is that of the response: 0 while the request is in progress, -1 if it was cut off.
	Status int `json:"status"`
}

func newRequest(server string, r *http.Request, body []byte) Request {
	request := Request{Server: server, Method: r.Method, Target: r.URL.RequestURI(), Headers: headers(r), Length: len(body)}
	if server == JobsServer {
		request.Body = string(body[:min(len(body), maxExcerpt)])
		return request
	}
	request.Form = map[string]string{}
	form, _ := url.ParseQuery(string(body)) // what is well-formed of it
	for name := range form {
		request.Form[name] = form.Get(name)
	}
	return request
}

// size returns about how many bytes the journal keeps of a request.
func (r *Request) size() int {
	size := len(r.Target) + len(r.Body)
	for _, fields := range []map[string]string{r.Headers, r.Form} {
		for name, value := range fields {
			size += len(name) + len(value) + 100
		}
	}
	return size
}

func headers(r *http.Request) map[string]string {
	headers := map[string]string{}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return headers
}

// entry is a request, or a use of the controls, as the page shows it: without secrets and tokens.
type entry struct {
	ID     int    `json:"id"`
	At     int64  `json:"at"`               // Unix milliseconds
	Server string `json:"server,omitempty"` // AuthServer or JobsServer
	Lane   string `json:"lane,omitempty"`   // of the instance that sent it
	Port   string `json:"port,omitempty"`   // of its connection
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Token  string `json:"token,omitempty"` // its short hash
	// Status is 0 while the request is in progress, and -1 if it was cut off.
	Status   int    `json:"status"`
	Duration int64  `json:"duration_ms"`
	Switch   string `json:"switch,omitempty"` // what the controls were used for

	request Request
	change  int // the last change of this entry
}

// journal counts requests as they arrive, and keeps the newest entries.
type journal struct {
	closing <-chan struct{} // ends waits when the sandbox closes

	mu      sync.Mutex
	counts  Counts
	entries []*entry
	size    int           // of their requests
	changes int           // so far
	changed chan struct{} // closed and replaced at each change
}

// watched adds the requests to a server to the journal and to the log, and applies the server's faults to them.
func (s *Sandbox) watched(server string, next http.Handler, log *slog.Logger) http.Handler {
	faulty := s.faults.wrap(server, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Only after the body is read does net/http notice that a client disconnected, which must end a delay.
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		r.Body = io.NopCloser(bytes.NewReader(body))
		e := &entry{
			Server: server, Method: shown(r.Method, methods), Path: shown(r.URL.Path, paths),
			request: newRequest(server, r, body),
		}
		e.Lane, e.Port = lane(r)
		if token, ok := bearer(r); ok {
			e.Token = shortHash(token)
		}
		s.journal.add(e)
		began, response := time.Now(), &recorder{ResponseWriter: w, status: cutOff}
		defer func() {
			s.journal.end(e, response, time.Since(began))
			log.Info("request", "server", server, "method", e.Method, "path", e.Path, "status", response.status, "duration", time.Since(began))
		}()
		if err != nil {
			writeProblem(response, http.StatusBadRequest, "invalid_request", "the body is too large or could not be read")
			return
		}
		faulty.ServeHTTP(response, r)
	})
}

// lane returns a name for the instance that sent a request, from its User-Agent, which may have an id, and its host;
// and the port of its connection.
func lane(r *http.Request) (lane, port string) {
	lane = r.UserAgent()
	if lane == "" {
		lane = "no User-Agent"
	}
	host, port, _ := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		lane = host + " " + lane
	}
	return fmt.Sprintf("%.80s", lane), port
}

// add adds an entry, and removes the oldest if there are too many.
func (j *journal) add(e *entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch e.Server {
	case AuthServer:
		j.counts.TokenRequests++
	case JobsServer:
		j.counts.JobRequests++
	}
	e.ID, e.At = j.changes, time.Now().UnixMilli()
	j.size += e.request.size()
	for len(j.entries) == maxEntries || len(j.entries) > 0 && j.size > maxSize {
		j.size -= j.entries[0].request.size()
		j.entries[0] = nil // the slice's array would keep it
		j.entries = j.entries[1:]
	}
	j.entries = append(j.entries, e)
	j.touch(e)
}

// reset forgets the requests.
func (j *journal) reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts, j.entries, j.size = Counts{}, nil, 0
}

// end completes the entry of a request with its response.
func (j *journal) end(e *entry, response *recorder, took time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Status, e.Duration = response.status, took.Milliseconds()
	if response.token != "" {
		e.Token = response.token
	}
	j.touch(e)
}

func (j *journal) touch(e *entry) {
	j.changes++
	e.change = j.changes
	close(j.changed)
	j.changed = make(chan struct{})
}

// since returns copies of the entries that have changed after the first so many changes.
func (j *journal) since(changes int) (entries []entry, now int, changed <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.entries {
		if e.change > changes {
			entries = append(entries, *e)
		}
	}
	return entries, j.changes, j.changed
}

// requests returns the kept requests. It never returns nil, which in JSON would be null.
func (j *journal) requests() []Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	requests := []Request{}
	for _, e := range j.entries {
		if e.Server != "" {
			request := e.request
			request.Status = e.Status
			requests = append(requests, request)
		}
	}
	return requests
}

// count returns the counts, and a channel that is closed when the journal changes.
func (j *journal) count() (Counts, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.counts, j.changed
}

// wait waits until at least that many requests have arrived.
func (j *journal) wait(ctx context.Context, least Counts) (Counts, error) {
	for {
		counts, changed := j.count()
		if counts.TokenRequests >= least.TokenRequests && counts.JobRequests >= least.JobRequests {
			return counts, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return counts, ctx.Err()
		case <-j.closing:
			return counts, errors.New("the sandbox is closing")
		}
	}
}
