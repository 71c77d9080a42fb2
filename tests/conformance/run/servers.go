package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"

	"automatic-rostering/tests/conformance/scenario"
)

// Servers are the token endpoint, the service and the store of scenarios: they expect exactly the
// exchanges of a script, in order, and send the responses in it.
type Servers struct {
	URLs scenario.URLs

	auth, service *httptest.Server

	mutex    sync.Mutex
	expected []scenario.Exchange
	wrong    []error
}

// StartServers starts the servers on free ports of the loopback interface.
func StartServers() *Servers {
	s := &Servers{}
	s.auth, s.service = s.start("token"), s.start("jobs")
	s.URLs = scenario.URLs{Auth: s.auth.URL, Service: s.service.URL}
	return s
}

// start starts a server that takes one request per connection: a client may retry a
// request on its own if a connection that it reused is closed, and the script would
// see it twice.
func (s *Servers) start(kind string) *httptest.Server {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		response := s.request(kind, r, string(body))
		if response.Drop {
			panic(http.ErrAbortHandler)
		}
		for name, value := range response.Headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(cmp.Or(response.Status, http.StatusOK))
		w.Write(response.Bytes())
	}))
	server.Config.SetKeepAlivesEnabled(false)
	server.Start()
	return server
}

// Close ends the servers.
func (s *Servers) Close() {
	for _, server := range []*httptest.Server{s.auth, s.service} {
		server.CloseClientConnections()
		server.Close()
	}
}

// Expect sets the script of the next call.
func (s *Servers) Expect(exchanges ...scenario.Exchange) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.expected, s.wrong = exchanges, nil
}

// Check returns how what came differed from the script.
func (s *Servers) Check() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, e := range s.expected {
		s.wrong = append(s.wrong, errors.New("it did not come: "+e.Kind))
	}
	return errors.Join(s.wrong...)
}

// next returns the next exchange if it is of this kind, and notes what is wrong otherwise.
func (s *Servers) next(kind string, what ...any) (e scenario.Exchange, ok bool) {
	if len(s.expected) == 0 || s.expected[0].Kind != kind {
		s.wrong = append(s.wrong, fmt.Errorf("what came is not in the script: %s %s", kind, fmt.Sprint(what...)))
		return e, false
	}
	e, s.expected = s.expected[0], s.expected[1:]
	return e, true
}

func (s *Servers) compare(what string, got, want any) {
	if !reflect.DeepEqual(got, want) {
		s.wrong = append(s.wrong, fmt.Errorf("the %s is %s, not %s", what, short(got), short(want)))
	}
}

// short is a value as JSON, at most the first 300 bytes of it.
func short(value any) string {
	b, _ := json.Marshal(value) // values of JSON
	return fmt.Sprintf("%.300s", b)
}

// request returns the response to a request.
func (s *Servers) request(kind string, r *http.Request, body string) scenario.Response {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	e, ok := s.next(kind, r.Method, " ", r.RequestURI)
	if !ok {
		return scenario.Response{Status: http.StatusTeapot}
	}
	want := map[string]string{}
	for name, value := range e.HTTP.Headers {
		if value != nil {
			want[strings.ToLower(name)] = *value
		}
	}
	s.compare("request's method", r.Method, e.HTTP.Method)
	s.compare("request's path", r.RequestURI, e.HTTP.Path)
	s.compare("request's body", body, e.HTTP.Body)
	s.compare("request's headers", headers(r), want)
	return *e.HTTP.Response
}

// byHosts are the headers that HTTP clients set by themselves.
var byHosts = []string{
	"accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-length",
	"pragma", "sec-fetch-mode", "transfer-encoding", "upgrade", "http2-settings", "user-agent",
}

// headers returns the headers that the plugin set, in lower case, as some hosts send them.
func headers(r *http.Request) map[string]string {
	all := map[string]string{}
	for name, values := range r.Header {
		if name := strings.ToLower(name); !slices.Contains(byHosts, name) {
			all[name] = strings.Join(values, ", ")
		}
	}
	return all
}

// step takes a step of a flow that is not a request, and returns its result, as resume takes it.
func (s *Servers) step(step step) map[string]any {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	e, ok := s.next(step.Step, step.Op, step.Key, step.Seconds)
	if !ok {
		return map[string]any{"failed": "not in the script"}
	}
	if step.Step == "wait" {
		s.compare("seconds of the wait", step.Seconds, e.Wait)
		return map[string]any{}
	}
	s.compare("operation on the store", step.Op, e.Store.Op)
	if !e.Store.HasKey(step.Key, s.URLs) {
		s.wrong = append(s.wrong, fmt.Errorf("the key in the store is %q", step.Key))
	}
	s.compare("ttl in the store", step.TTL, e.Store.TTL)
	if step.Op != "get" {
		s.compare("value in the store", decoded(step.Value), decoded(e.Store.FullValue(s.URLs)))
	}
	return e.Store.Result(s.URLs)
}

// decoded is a value of a store: as JSON if it is that.
func decoded(text *string) (value any) {
	if text == nil {
		return nil
	}
	if json.Unmarshal([]byte(*text), &value) != nil {
		return *text
	}
	return value
}

// has checks the token and the until of the step that is carried out next.
func (s *Servers) has(step step) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.expected) == 0 {
		return // the step is one too many
	}
	e := &s.expected[0]
	s.compare("token of the step for "+e.Kind, accessToken(step.Token), e.Has)
	if e.Until != nil {
		s.compare("until of the step for "+e.Kind, step.Until, e.Until)
	}
}
