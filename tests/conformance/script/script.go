// Package script has the servers of a scenario: they expect exactly the exchanges of its
// script, in order, and send the responses in it.
package script

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"automatic-rostering/tests/conformance/scenario"
)

// Servers are the token endpoint, the service and the store of one scenario.
type Servers struct {
	Addresses scenario.Servers

	hosts   []string // in Transport
	servers []*httptest.Server
	closed  *reserved

	mutex    sync.Mutex
	expected []scenario.Exchange
	wrong    []string
}

// Start starts the servers: on free ports of the loopback interface if they listen, and for
// Transport in any case. Close ends them.
func Start(listen bool) (*Servers, error) {
	s := &Servers{}
	s.Addresses.Closed = "http://" + unused()
	if listen {
		closed, err := reserve()
		if err != nil {
			return nil, err
		}
		s.closed = closed
		s.Addresses.Closed = "http://" + closed.address
	}
	s.Addresses.Auth, s.Addresses.Service = s.start(s.handler(token), listen), s.start(s.handler(jobs), listen)
	return s, nil
}

// start starts a server that takes one request per connection: a client may retry a
// request on its own if a connection that it reused is closed, and the script would
// see it twice.
func (s *Servers) start(handler http.Handler, listen bool) (address string) {
	host := unused()
	if listen {
		server := httptest.NewUnstartedServer(handler)
		server.Config.SetKeepAlivesEnabled(false)
		server.Start()
		s.servers = append(s.servers, server)
		host = server.Listener.Addr().String()
	}
	s.hosts = append(s.hosts, host)
	inMemory.Store(host, handler)
	return "http://" + host
}

// Close ends the servers.
func (s *Servers) Close() {
	for _, host := range s.hosts {
		inMemory.Delete(host)
	}
	for _, server := range s.servers {
		server.CloseClientConnections()
		server.Close()
	}
	if s.closed != nil {
		s.closed.release()
	}
}

// Expect sets the script of the next call.
func (s *Servers) Expect(exchanges []scenario.Exchange) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.expected, s.wrong = exchanges, nil
}

// Check returns how the requests differed from the script.
func (s *Servers) Check() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	wrong := s.wrong
	for _, e := range s.expected {
		wrong = append(wrong, "it did not come: "+kind(&e))
	}
	return wrong
}

// The kinds of exchanges.
const (
	token = "token request"
	jobs  = "request to the service"
	store = "operation on the store"
	wait  = "wait"
)

func kind(e *scenario.Exchange) string {
	switch {
	case e.Token != nil:
		return token
	case e.Jobs != nil:
		return jobs
	case e.Store != nil:
		return store
	}
	return wait
}

// take returns the next exchange if it is of this kind, and notes what is wrong otherwise.
func (s *Servers) take(want string, what ...any) (e scenario.Exchange, ok bool) {
	if len(s.expected) == 0 || kind(&s.expected[0]) != want {
		s.wrong = append(s.wrong, fmt.Sprintf("a %s came that the script does not have: %s", want, fmt.Sprint(what...)))
		return e, false
	}
	e, s.expected = s.expected[0], s.expected[1:]
	return e, true
}

func (s *Servers) compare(what, got, want string) {
	if got != want {
		s.wrong = append(s.wrong, fmt.Sprintf("the %s is %.300q, not %.300q", what, got, want))
	}
}

func (s *Servers) handler(kind string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		response := s.takeRequest(kind, r, string(body))
		if response.Drop {
			panic(http.ErrAbortHandler)
		}
		for name, value := range response.Headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(cmp.Or(response.Status, http.StatusOK))
		w.Write(response.Bytes())
	})
}

// takeRequest returns the response to a request.
func (s *Servers) takeRequest(kind string, r *http.Request, body string) scenario.Response {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	e, ok := s.take(kind, r.Method, " ", r.RequestURI)
	if !ok {
		return scenario.Response{Status: http.StatusTeapot}
	}
	want, response := e.Request()
	s.compare("request's method", r.Method, want.Method)
	s.compare("request's path", r.RequestURI, want.Path)
	s.compare("request's body", body, want.Body)
	s.compare("request's headers", fmt.Sprint(own(r.Header)), fmt.Sprint(lower(want.Header)))
	return response
}

// byHosts are the headers that HTTP clients set by themselves.
var byHosts = []string{
	"accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-length",
	"pragma", "sec-fetch-mode", "transfer-encoding", "upgrade", "http2-settings", "user-agent",
}

// own returns the headers that the plugin set, in lower case, as some hosts send them.
func own(header http.Header) map[string]string {
	mine := map[string]string{}
	for name, values := range header {
		if name := strings.ToLower(name); !slices.Contains(byHosts, name) {
			mine[name] = strings.Join(values, ", ")
		}
	}
	return mine
}

func lower(header map[string]string) map[string]string {
	names := map[string]string{}
	for name, value := range header {
		names[strings.ToLower(name)] = value
	}
	return names
}
