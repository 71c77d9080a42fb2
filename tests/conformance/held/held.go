// Package held has servers whose responses a test can hold back: a token endpoint, a service and
// a shared store.
package held

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Patience bounds every wait for an event.
var Patience = 2 * time.Minute

// Secret is the client secret of the tests with these servers.
const Secret = "the-client-secret-of-the-rules"

// Server is a server that responds immediately, or holds its responses back.
type Server struct {
	URL string

	t       testing.TB
	respond func(w http.ResponseWriter, r *http.Request, body []byte)
	held    chan *Request
	closed  chan struct{}

	mutex   sync.Mutex
	holding bool
	down    bool
	count   int
}

// Request is one that was held back.
type Request struct {
	t         testing.TB
	gone      context.Context // done when the client has left
	release   chan struct{}
	responded chan struct{}
}

// New starts a server that responds with respond; it ends with the test.
func New(t testing.TB, respond func(w http.ResponseWriter, r *http.Request, body []byte)) *Server {
	t.Helper()
	s := &Server{t: t, respond: respond, held: make(chan *Request, 1000), closed: make(chan struct{})}
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		close(s.closed)
		server.CloseClientConnections()
		server.Close()
	})
	return s
}

// Hold sets whether responses to later requests are held back.
func (s *Server) Hold(holding bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.holding = holding
}

// Down sets whether the server is down: it responds 503.
func (s *Server) Down(down bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.down = down
}

// Count is how many requests have come.
func (s *Server) Count() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.count
}

// Next waits for the next request that is held back.
func (s *Server) Next() *Request {
	s.t.Helper()
	select {
	case r := <-s.held:
		return r
	case <-time.After(Patience):
		s.t.Fatalf("no request has come within %s", Patience)
		return nil
	}
}

// ServeHTTP responds to a request, or holds the response back.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	s.mutex.Lock()
	s.count++
	holding, down := s.holding, s.down
	s.mutex.Unlock()
	if down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if !holding {
		s.respond(w, r, body)
		return
	}
	held := &Request{t: s.t, gone: r.Context(), release: make(chan struct{}), responded: make(chan struct{})}
	defer close(held.responded)
	s.held <- held
	select {
	case <-held.release:
		s.respond(w, r, body)
	case <-s.closed:
	}
}

// Respond releases the response.
func (r *Request) Respond() {
	close(r.release)
	<-r.responded
}

// Left reports whether the client has left.
func (r *Request) Left() bool { return r.gone.Err() != nil }

// WaitUntilLeft waits until the client has left.
func (r *Request) WaitUntilLeft() {
	r.t.Helper()
	select {
	case <-r.gone.Done():
	case <-time.After(Patience):
		r.t.Fatalf("a client has not left after %s", Patience)
	}
}
