package world

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"automatic-rostering.example/rostering/tests/runner/rule"
)

// Handler responds to a request, of which it has the body.
type Handler func(w http.ResponseWriter, r *http.Request, body []byte)

// Server is a server that responds immediately, or holds its responses back.
type Server struct {
	URL string

	respond Handler // by default
	script  *Script // which has its requests by this kind, or nil
	kind    string
	server  *httptest.Server
	held    chan *Request
	closed  chan struct{}

	mutex   sync.Mutex
	holding bool
	count   int
	last    *http.Request
	body    string          // of the last
	replies []rule.Response // the next ones
	always  *rule.Response  // if there are none

	connections []*connection
}

// Request is one that was held back.
type Request struct {
	gone      context.Context // done when the client has left
	release   chan struct{}
	responded chan struct{}
}

func newServer(respond Handler, over *tls.Config) *Server {
	s := &Server{respond: respond, held: make(chan *Request, 1000), closed: make(chan struct{})}
	s.server = httptest.NewUnstartedServer(s)
	s.server.Listener = listener{s.server.Listener, s}
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0) // what clients say to a certificate
	if s.server.TLS, s.server.EnableHTTP2 = over, over != nil; over != nil {
		s.server.StartTLS()
	} else {
		s.server.Start()
	}
	s.URL = s.server.URL
	return s
}

func (s *Server) close() {
	close(s.closed)
	s.server.CloseClientConnections()
	s.server.Close()
}

// Hold sets whether responses to later requests are held back.
func (s *Server) Hold(holding bool) { s.set(func() { s.holding = holding }) }

// Reply sets the next responses, and those after them, which are by default without.
func (s *Server) Reply(next []rule.Response, always *rule.Response) {
	s.set(func() { s.replies, s.always = next, always })
}

func (s *Server) set(change func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	change()
}

// Saw is how many requests have come, and the last one, or nil, with its body.
func (s *Server) Saw() (count int, last *http.Request, body string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.count, s.last, s.body
}

// Next waits for the next request that is held back.
func (s *Server) Next(patience time.Duration) (*Request, error) {
	select {
	case r := <-s.held:
		return r, nil
	case <-time.After(patience):
		return nil, errors.New("no request has come within " + patience.String())
	}
}

// ServeHTTP responds to a request, or holds the response back.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	body := string(content)
	s.mutex.Lock()
	s.count++
	s.last, s.body = r.Clone(context.Background()), body
	holding := s.holding
	s.mutex.Unlock()
	if holding {
		held := &Request{gone: r.Context(), release: make(chan struct{}), responded: make(chan struct{})}
		defer close(held.responded)
		s.held <- held
		select {
		case <-held.release:
		case <-s.closed:
			return
		}
	}
	if reply := s.next(w, r, body); reply != nil {
		s.write(w, r, body, reply)
		return
	}
	s.respond(w, r, content)
}

// next is the next response of a script or of the replies, or nil.
func (s *Server) next(w http.ResponseWriter, r *http.Request, body string) *rule.Response {
	if s.script != nil {
		if response := s.script.request(s.kind, r, body); response != nil {
			// A client may retry a request on its own if a connection that it reused is closed, and the script would see it twice.
			w.Header().Set("Connection", "close")
			return response
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.replies) == 0 {
		return s.always
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	return &reply
}

func (s *Server) write(w http.ResponseWriter, r *http.Request, body string, response *rule.Response) {
	if response.Raw != nil {
		s.writeRaw(w, r, body, response)
		return
	}
	for name, value := range response.Headers {
		w.Header().Set(name, *value)
	}
	compressions := response.Compressions(strings.Contains(r.Header.Get("Accept-Encoding"), "gzip"))
	for range compressions {
		w.Header().Add("Content-Encoding", "gzip")
	}
	w.WriteHeader(cmp.Or(response.Status, http.StatusOK))
	_, _ = w.Write(response.Compressed(compressions)) // until the client leaves
}

// Respond releases the response.
func (r *Request) Respond() {
	close(r.release)
	<-r.responded
}

// Stays reports whether the client has not left.
func (r *Request) Stays() bool { return r.gone.Err() == nil }
