package sandbox

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

const (
	maxRequests = 1000    // that the journal keeps
	maxExcerpt  = 8 << 10 // of a body in the journal
)

// Counts is the number of requests that have arrived.
type Counts struct {
	// TokenRequests counts requests to /connect/token of the identity provider.
	TokenRequests int `json:"token_requests"`
	// JobRequests counts requests to any path of the jobs service.
	JobRequests int `json:"job_requests"`
}

func (c Counts) reach(least Counts) bool {
	return c.TokenRequests >= least.TokenRequests && c.JobRequests >= least.JobRequests
}

// Request is a request as it arrived. It includes tokens and secrets, which are valid only in
// this sandbox.
type Request struct {
	Server string `json:"server"`
	Method string `json:"method"`
	// Target is the path with the query.
	Target string `json:"target"`
	// Headers has the headers by their names in lower case. Several with one name are joined
	// by ", ".
	Headers map[string]string `json:"headers"`
	// Form has the fields of a token request, which has no Body.
	Form map[string]string `json:"form,omitempty"`
	// Body is the first 8 KiB of the body.
	Body string `json:"body"`
	// Length is the length of the whole body, in bytes.
	Length int `json:"length"`
}

func newRequestRecord(server string, r *http.Request, body []byte) Request {
	record := Request{
		Server: server, Method: r.Method, Target: r.URL.RequestURI(),
		Headers: map[string]string{}, Length: len(body),
	}
	for name, values := range r.Header {
		record.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	if server == JobsServer {
		record.Body = string(body[:min(len(body), maxExcerpt)])
		return record
	}
	record.Form = map[string]string{}
	if form, err := url.ParseQuery(string(body)); err == nil {
		for name := range form {
			record.Form[name] = form.Get(name)
		}
	}
	return record
}

// journal counts requests as they arrive, and keeps the newest of them.
type journal struct {
	closing <-chan struct{} // ends waits when the sandbox closes

	mu       sync.Mutex
	counts   Counts
	requests []Request
	changed  chan struct{} // closed and replaced at each request
}

func newJournal(closing <-chan struct{}) *journal {
	return &journal{closing: closing, changed: make(chan struct{})}
}

func (j *journal) add(r Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r.Server == AuthServer {
		j.counts.TokenRequests++
	} else {
		j.counts.JobRequests++
	}
	if len(j.requests) == maxRequests {
		j.requests = j.requests[1:]
	}
	j.requests = append(j.requests, r)
	close(j.changed)
	j.changed = make(chan struct{})
}

// count returns the counts, and a channel that is closed when they change.
func (j *journal) count() (Counts, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.counts, j.changed
}

// newest returns the kept requests. It never returns nil, which in JSON would be null.
func (j *journal) newest() []Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]Request{}, j.requests...)
}

// wait waits until at least that many requests have arrived.
func (j *journal) wait(ctx context.Context, least Counts) (Counts, error) {
	for {
		counts, changed := j.count()
		if counts.reach(least) {
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
