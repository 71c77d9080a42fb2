package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
)

// wire records the requests and responses of an HTTP client.
type wire struct {
	client *http.Client
	before http.RoundTripper

	mu        sync.Mutex
	whole     bool
	exchanges []exchange
}

// exchange is a request and its response.
type exchange struct {
	method, url, path string
	status            string // or why there is no response

	whole    bool // the rest is known too
	headers  []string
	form     string
	response string
}

// tap listens in on a client until it is removed.
func tap(client *http.Client) *wire {
	w := &wire{client: client, before: client.Transport}
	client.Transport = w
	return w
}

func (w *wire) remove() { w.client.Transport = w.before }

// record begins a new record; whole asks for headers and bodies, too.
func (w *wire) record(whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.whole, w.exchanges = whole, nil
}

func (w *wire) recorded() []exchange {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.exchanges
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := exchange{method: r.Method, url: r.URL.String(), path: r.URL.Path, whole: w.whole}
	response, err := e.carryOut(r, w.transport())
	if err != nil {
		e.status = err.Error()
	}
	w.exchanges = append(w.exchanges, e)
	return response, err
}

func (e *exchange) carryOut(r *http.Request, transport http.RoundTripper) (*http.Response, error) {
	if e.whole {
		if err := e.readRequest(r); err != nil {
			return nil, err
		}
	}
	response, err := transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	e.status = response.Status
	if e.whole {
		if err := e.readBody(response); err != nil {
			return nil, err
		}
	}
	return response, nil
}

func (w *wire) transport() http.RoundTripper {
	if w.before == nil {
		return http.DefaultTransport
	}
	return w.before
}

// readRequest takes the request as it goes over the wire, with the headers that
// the HTTP client adds.
func (e *exchange) readRequest(r *http.Request) error {
	copied := r.Clone(r.Context()) // dumping reads the body
	if r.GetBody != nil {
		var err error
		if copied.Body, err = r.GetBody(); err != nil {
			return err
		}
	}
	sent, err := httputil.DumpRequestOut(copied, true)
	if err != nil {
		return err
	}
	head, body, _ := strings.Cut(string(sent), "\r\n\r\n")
	e.headers, e.form = strings.Split(head, "\r\n")[1:], body
	return nil
}

func (e *exchange) readBody(r *http.Response) error {
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(body))
	e.response = string(body)
	return err
}
