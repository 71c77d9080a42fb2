// Package script is the servers of a scenario: each expects exactly the requests of
// its script, in order, and gives the answers that stand there.
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

// Servers are the token endpoint and the service of one scenario.
type Servers struct {
	Addresses scenario.Servers

	auth, service *httptest.Server
	closed        *reserved

	mutex    sync.Mutex
	expected []exchange
	wrong    []string
}

type exchange struct {
	server  string
	request scenario.Request
	answer  scenario.Answer
}

// Start starts the servers on free ports of the loopback interface. Close ends them.
func Start() (*Servers, error) {
	s := &Servers{}
	closed, err := reserve()
	if err != nil {
		return nil, err
	}
	s.closed = closed
	s.auth = start(s.handler("token"))
	s.service = start(s.handler("jobs"))
	s.Addresses = scenario.Servers{Auth: s.auth.URL, Service: s.service.URL, Closed: "http://" + closed.address}
	return s, nil
}

// start starts a server that takes one request a connection: a client may repeat a
// request by itself if a connection that it reused is closed, and the scripts would
// see it twice.
func start(handler http.Handler) *httptest.Server {
	server := httptest.NewUnstartedServer(handler)
	server.Config.SetKeepAlivesEnabled(false)
	server.Start()
	return server
}

// Close ends the servers.
func (s *Servers) Close() {
	s.auth.CloseClientConnections()
	s.service.CloseClientConnections()
	s.auth.Close()
	s.service.Close()
	s.closed.release()
}

// Expect sets the script of the next call.
func (s *Servers) Expect(exchanges []scenario.Exchange) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.expected, s.wrong = nil, nil
	for _, e := range exchanges {
		if e.Token != nil {
			s.expected = append(s.expected, exchange{"token", e.Token.Request(), e.Token.Reply()})
		} else {
			s.expected = append(s.expected, exchange{"jobs", e.Jobs.Request(), e.Jobs.Reply()})
		}
	}
}

// Check tells how the requests that came differ from the script.
func (s *Servers) Check() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	wrong := s.wrong
	for _, e := range s.expected {
		wrong = append(wrong, fmt.Sprintf("the %s request did not come: %s %s", e.server, e.request.Method, e.request.Path))
	}
	return wrong
}

func (s *Servers) handler(server string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		answer := s.take(server, r, string(body))
		if answer.Drop {
			panic(http.ErrAbortHandler)
		}
		for name, value := range answer.Headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(cmp.Or(answer.Status, http.StatusOK))
		w.Write(answer.Bytes())
	})
}

// take gives the answer to a request, after it has noted what is wrong with it.
func (s *Servers) take(server string, r *http.Request, body string) scenario.Answer {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.expected) == 0 || s.expected[0].server != server {
		s.wrong = append(s.wrong, fmt.Sprintf("a %s request came that the script does not have: %s %s", server, r.Method, r.RequestURI))
		return scenario.Answer{Status: http.StatusTeapot}
	}
	e := s.expected[0]
	s.expected = s.expected[1:]
	s.compare("method", r.Method, e.request.Method)
	s.compare("path", r.RequestURI, e.request.Path)
	s.compare("body", body, e.request.Body)
	s.compare("headers", fmt.Sprint(own(r.Header)), fmt.Sprint(lower(e.request.Header)))
	return e.answer
}

func (s *Servers) compare(what, got, want string) {
	if got != want {
		s.wrong = append(s.wrong, fmt.Sprintf("the request's %s is %q, not %q", what, got, want))
	}
}

// byHosts are the headers that HTTP clients set by themselves.
var byHosts = []string{
	"accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-length",
	"pragma", "sec-fetch-mode", "transfer-encoding", "upgrade", "http2-settings", "user-agent",
}

// own gives the headers that the plugin set, in lower case, as some hosts send them.
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
