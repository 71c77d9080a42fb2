package rostering_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

// once returns a reader that net/http takes for one that can be read only once.
func once(content string) io.Reader { return io.MultiReader(strings.NewReader(content)) }

func TestBodies(t *testing.T) {
	s, client := open(t)
	opened := func(content string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(once(content)), nil }
	}
	for _, tt := range []struct {
		request         rostering.Request
		content, length string // no length if it is sent in chunks
	}{
		{rostering.Request{}, "", "0"},
		{rostering.Request{Body: http.NoBody}, "", "0"},
		{rostering.Request{Body: strings.NewReader("")}, "", "0"},
		{rostering.Request{Body: strings.NewReader("Schicht für Jürgen")}, "Schicht für Jürgen", "20"},
		{rostering.Request{Body: bytes.NewReader([]byte("\x00\xff"))}, "\x00\ufffd", "2"}, // as the sandbox shows it
		{rostering.Request{Body: bytes.NewBufferString("buffer")}, "buffer", "6"},
		{rostering.Request{GetBody: opened("a\xffb")}, "a\ufffdb", ""},
		{rostering.Request{GetBody: opened("known"), ContentLength: 5}, "known", "5"},
	} {
		tt.request.Method, tt.request.Path = "PUT", "/jobs/1?a=b"
		tt.request.Header = http.Header{"X-Kind": {"!", "?"}}
		for range 2 { // the same request again
			if _, err := client.GetToken(t.Context(), rostering.Force()); err != nil {
				t.Fatal(err)
			}
			s.Fault(sandbox.Fault{Server: "jobs", Status: 401, Requests: 1})
			_, err := client.SendRequest(t.Context(), tt.request)
			if e := wantError(t, err, rostering.CodeServiceError); e.Status != http.StatusNotFound {
				t.Errorf("the error is %+v", e)
			}
			sent := s.Requests("jobs")
			for _, r := range sent[len(sent)-2:] { // the second with a new token
				if r.Method != "PUT" || r.Target != "/jobs/1?a=b" || r.Body != tt.content ||
					r.Headers["content-length"] != tt.length || r.Headers["x-kind"] != "!, ?" {
					t.Errorf("%q was sent, want %q of length %q", r, tt.content, tt.length)
				}
			}
		}
	}
}

func TestBodyThatCannotBeSentAgain(t *testing.T) {
	s, client := open(t)
	wantJobs(t, client)
	s.Fault(sandbox.Fault{Server: "jobs", Status: 401, Requests: 1})
	body := &tracked{Reader: once("once")}
	_, err := client.SendRequest(t.Context(), rostering.Request{Path: "/jobs", Method: "POST", Body: body})
	if e := wantError(t, err, rostering.CodeServiceUnauthorized); e.Status != http.StatusUnauthorized || !e.Retryable || e.Header == nil {
		t.Errorf("the error is %+v", e)
	}
	if !body.closed {
		t.Error("the body is not closed")
	}
	s.WantCounts(t, 1, 2)
	s.Fault(sandbox.Fault{Server: "jobs", Status: 201})
	request := rostering.Request{Path: "/jobs", Method: "POST", Body: once("once"), ContentLength: 4}
	if _, err := client.SendRequest(t.Context(), request); err != nil {
		t.Errorf("with the new token: %v", err)
	}
	s.WantCounts(t, 2, 3)
	if sent := s.Requests("jobs")[2]; sent.Body != "once" || sent.Headers["content-length"] != "4" {
		t.Errorf("%+v was sent", sent)
	}
}

// An error of the caller's body is no failure of the network, which could be retried.
func TestBodyThatFails(t *testing.T) {
	s, client := open(t)
	wantJobs(t, client)
	gone := errors.New("gone")
	for name, request := range map[string]rostering.Request{
		"open": {GetBody: func() (io.ReadCloser, error) { return nil, gone }},
		"read": {Body: io.MultiReader(strings.NewReader("x"), failing{gone})},
	} {
		request.Method, request.Path = "POST", "/jobs"
		_, err := client.SendRequest(t.Context(), request)
		if _, ok := errors.AsType[*rostering.Error](err); ok || !errors.Is(err, gone) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}

	first, unused := &tracked{Reader: strings.NewReader("x")}, &tracked{Reader: strings.NewReader("x")}
	bodies := []io.ReadCloser{first, unused}
	s.Fault(sandbox.Fault{Server: "jobs", Status: 401})
	s.Fault(sandbox.Fault{Server: "auth", Status: 400})
	_, err := client.SendRequest(t.Context(), rostering.Request{
		Method: "POST", Path: "/jobs", GetBody: func() (io.ReadCloser, error) {
			next := bodies[0]
			bodies = bodies[1:]
			return next, nil
		},
	})
	wantError(t, err, rostering.CodeTokenEndpointRejected)
	if !first.closed || !unused.closed {
		t.Errorf("closed: the body that was sent %v, the one that was not %v", first.closed, unused.closed)
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// As with net/http, a JSON body is a reader, and its type is a header.
func TestJSONBody(t *testing.T) {
	s, client := open(t)
	s.Fault(sandbox.Fault{Server: "jobs", Status: 201, Body: `{"id":7}`})
	body, err := json.Marshal(map[string]string{"title": "Nacht"})
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.SendRequest(t.Context(), rostering.Request{
		Method: "POST", Path: "/jobs", Header: http.Header{"Content-Type": {"application/json"}}, Body: bytes.NewReader(body),
	})
	if err != nil {
		t.Fatal(err)
	}
	var created struct{ ID int }
	if err := response.JSON(&created); err != nil || created.ID != 7 {
		t.Errorf("the response is %s, %v", response.Body, err)
	}
	if sent := s.Requests("jobs")[0]; sent.Body != `{"title":"Nacht"}` || sent.Headers["content-type"] != "application/json" {
		t.Errorf("%+v was sent", sent)
	}
}

func TestQueryParameters(t *testing.T) {
	s, client := open(t)
	s.Fault(sandbox.Fault{Server: "jobs", Status: 200})
	query := url.Values{"q": {"a b&c", "ü"}, "page": {"2"}}
	for _, path := range []string{"/search", "/search?x=1"} {
		if _, err := client.SendRequest(t.Context(), rostering.Request{Path: path, Query: query}); err != nil {
			t.Fatal(err)
		}
	}
	for n, want := range []string{"/search?page=2&q=a+b%26c&q=%C3%BC", "/search?x=1&page=2&q=a+b%26c&q=%C3%BC"} {
		if got := s.Requests("jobs")[n].Target; got != want {
			t.Errorf("the target is %s, want %s", got, want)
		}
	}
}

func TestUserAgent(t *testing.T) {
	own := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", "the client's")
		return http.DefaultTransport.RoundTrip(r)
	})}
	const library = "automatic-rostering/" + rostering.Version + " (go)"
	for _, tt := range []struct {
		options []rostering.Option
		header  http.Header
		want    []string // of the token request, and of the request
	}{
		{nil, nil, []string{library, library}},
		{nil, http.Header{"user-agent": {"the request's"}}, []string{library, "the request's"}},
		{[]rostering.Option{rostering.WithHTTPClient(own)}, nil, []string{"the client's", "the client's"}},
	} {
		s, client := open(t, tt.options...)
		if _, err := client.SendRequest(t.Context(), rostering.Request{Path: "/jobs", Header: tt.header}); err != nil {
			t.Fatal(err)
		}
		got := []string{s.Requests("auth")[0].Headers["user-agent"], s.Requests("jobs")[0].Headers["user-agent"]}
		if !slices.Equal(got, tt.want) {
			t.Errorf("the user agents are %q, want %q", got, tt.want)
		}
	}
}
