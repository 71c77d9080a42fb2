package world

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"automatic-rostering.example/rostering/tests/runner/rule"
)

// Script is the exchanges that the token endpoint, the service and the host of a flow expect, exactly and in order.
type Script struct {
	cacheKey string

	mutex    sync.Mutex
	on       bool
	expected []rule.Exchange
	wrong    []error
}

// Expect sets the script of the next call.
func (s *Script) Expect(exchanges ...rule.Exchange) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.on, s.expected, s.wrong = true, exchanges, nil
}

// Check returns how what came differed from the script.
func (s *Script) Check() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, e := range s.expected {
		s.wrong = append(s.wrong, errors.New("it did not come: "+e.Kind()))
	}
	return errors.Join(s.wrong...)
}

// next returns the next exchange if it is of this kind, and notes what is wrong otherwise.
func (s *Script) next(kind string, what ...any) (e rule.Exchange, ok bool) {
	if len(s.expected) == 0 || s.expected[0].Kind() != kind && (kind != "store" || s.expected[0].Store() == nil) {
		s.wrong = append(s.wrong, fmt.Errorf("what came is not in the script: %s %s", kind, fmt.Sprint(what...)))
		return e, false
	}
	e, s.expected = s.expected[0], s.expected[1:]
	return e, true
}

func (s *Script) compare(what string, got, want any) {
	if !reflect.DeepEqual(got, want) {
		s.wrong = append(s.wrong, fmt.Errorf("the %s is %s, not %s", what, short(got), short(want)))
	}
}

// short is a value as JSON, at most the first 300 bytes of it.
func short(value any) string {
	b, _ := json.Marshal(value) // values of JSON
	return fmt.Sprintf("%.300s", b)
}

// request returns the response to a request, or nil while the script is off.
func (s *Script) request(kind string, r *http.Request, body string) *rule.Response {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.on {
		return nil
	}
	e, ok := s.next(kind, r.Method, " ", r.RequestURI)
	if !ok {
		return &rule.Response{Reply: rule.Reply{Status: http.StatusTeapot}}
	}
	want := map[string]string{}
	asked := e.HTTP()
	for name, value := range asked.Headers {
		if value != nil {
			want[strings.ToLower(name)] = *value
		}
	}
	s.compare("request's method", r.Method, asked.Method)
	s.compare("request's path", r.RequestURI, asked.Path)
	s.compare("request's body", body, string(asked.Text()))
	got := Headers(r)
	maps.DeleteFunc(got, func(name, _ string) bool { return slices.Contains(byHosts, name) })
	s.compare("request's headers", got, want)
	return asked.Response
}

// byHosts are the headers that HTTP clients set by themselves.
var byHosts = []string{
	"accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-length",
	"pragma", "sec-fetch-mode", "transfer-encoding", "upgrade", "http2-settings", "user-agent",
}

// Headers returns the headers of a request, in lower case, as some hosts send them.
func Headers(r *http.Request) map[string]string {
	all := map[string]string{}
	for name, values := range r.Header {
		all[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return all
}

// HTTP is a request that a step or the export request has the host send.
type HTTP struct {
	Method, URL string
	Headers     map[string]string
	Body        string
}

// Step is the output of begin and resume.
type Step struct {
	Step    string
	Limit   int64
	Request *HTTP
	Op, Key string // of an operation on the store
	Value   *string
	TTL     float64
	Seconds float64 // of a wait
	Flow    json.RawMessage
	Token   json.RawMessage
	Until   *int64
}

// Step takes a step of a flow, and returns its result, as resume takes it, unless it is a request. If the step is exact, its token
// must be that of the script, and so must until.
func (s *Script) Step(step Step, exact bool) map[string]any {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if exact && len(s.expected) > 0 { // or it is one too many
		e := &s.expected[0]
		s.compare("token of the step for "+e.Kind(), AccessToken(step.Token), e.Has)
		if e.Until != nil {
			s.compare("until of the step for "+e.Kind(), step.Until, e.Until)
		}
	}
	if step.Step == "request" {
		return nil
	}
	e, ok := s.next(step.Step, step.Op, step.Key, step.Seconds)
	if !ok {
		return map[string]any{"failed": "not in the script"}
	}
	if step.Step == "wait" {
		s.compare("seconds of the wait", step.Seconds, e.Wait)
		return map[string]any{}
	}
	o := e.Store()
	s.compare("operation on the store", step.Op, o.Op())
	if !o.HasKey(step.Key, s.cacheKey) {
		s.wrong = append(s.wrong, fmt.Errorf("the key in the store is %q", step.Key))
	}
	s.compare("ttl in the store", step.TTL, o.TTL)
	if step.Op != "get" {
		s.compare("value in the store", decoded(step.Value), decoded(o.FullValue(s.cacheKey)))
	}
	return o.Result(s.cacheKey)
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

// AccessToken is that of a token object.
func AccessToken(object []byte) string {
	var token struct {
		AccessToken string `json:"access_token"`
	}
	_ = json.Unmarshal(object, &token)
	return token.AccessToken
}
