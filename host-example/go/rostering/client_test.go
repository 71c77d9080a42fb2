package rostering_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"automatic-rostering/host-example/go/rostering"
)

func TestResponse(t *testing.T) {
	s := newService(t)
	s.onRequest(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", "v1")
		reply(http.StatusCreated, jobs)(w, r)
	})
	r, err := s.client(t).ListJobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ ID int }
	if err := r.JSON(&list); err != nil || len(list) != 1 || list[0].ID != 1 {
		t.Errorf("the jobs are %v, %v", list, err)
	}
	if r.Status != http.StatusCreated || r.Header.Get("Etag") != "v1" {
		t.Errorf("the response is %+v", r)
	}
}

func TestIDs(t *testing.T) {
	for _, tt := range []struct {
		options        []rostering.CallOption
		customer, user []string
	}{
		{nil, []string{"customer"}, []string{"user"}},
		{[]rostering.CallOption{rostering.Customer("c2")}, []string{"c2"}, []string{"user"}},
		{[]rostering.CallOption{rostering.User("u2"), rostering.NoCustomer()}, nil, []string{"u2"}},
		{[]rostering.CallOption{rostering.NoUser()}, []string{"customer"}, nil},
	} {
		s := newService(t)
		s.onRequest(func(_ http.ResponseWriter, r *http.Request) {
			if got := r.Header.Values("CUSTOMER_ID"); !slices.Equal(got, tt.customer) {
				t.Errorf("the customer's id is %q, want %q", got, tt.customer)
			}
			if got := r.Header.Values("USER_ID"); !slices.Equal(got, tt.user) {
				t.Errorf("the user's id is %q, want %q", got, tt.user)
			}
		})
		if _, err := s.client(t).ListJobs(t.Context(), tt.options...); err != nil {
			t.Error(err)
		}
	}
}

// stream is a body whose length is unknown.
func stream(content string) rostering.Body {
	return rostering.Body{Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(strings.NewReader(content), 1<<20)), nil
	}}
}

func TestBodies(t *testing.T) {
	for _, tt := range []struct {
		body    rostering.Body
		content string
		length  int64 // -1 in chunks
	}{
		{rostering.Body{}, "", 0},
		{rostering.Text(""), "", 0},
		{rostering.Text("Schicht für Jürgen"), "Schicht für Jürgen", 20},
		{rostering.Bytes([]byte("\x00\xff")), "\x00\xff", 2},
		{stream("a\xffb"), "a\xffb", -1},
	} {
		s := newService(t)
		client := s.client(t)
		wantJobs(t, client)
		var seen []string
		s.refuse("access-token-1", func(_ http.ResponseWriter, r *http.Request) {
			content, err := io.ReadAll(r.Body)
			if err != nil || r.ContentLength != tt.length || r.Method+r.RequestURI != "PUT/jobs/1?a=b" {
				t.Errorf("%s %s, %d bytes, %v; want %d", r.Method, r.RequestURI, r.ContentLength, err, tt.length)
			}
			seen = append(seen, string(content)+r.Header.Get("X-Kind"))
		})
		request := rostering.Request{Path: "/jobs/1?a=b", Method: "PUT", Header: map[string]string{"X-Kind": "!"}, Body: tt.body}
		if _, err := client.SendRequest(t.Context(), request); err != nil {
			t.Error(err)
		}
		if want := tt.content + "!"; !slices.Equal(seen, []string{want, want}) { // the second with a new token
			t.Errorf("the bodies are %q, want %q", seen, want)
		}
	}
}

func TestABodyThatCannotBeSentAgain(t *testing.T) {
	s := newService(t)
	client, opened := s.client(t), 0
	wantJobs(t, client)
	s.refuse("access-token-1", nothing)
	gone := errors.New("gone")
	body := rostering.Body{Open: func() (io.ReadCloser, error) {
		if opened++; opened == 2 {
			return nil, gone
		}
		return io.NopCloser(strings.NewReader("once")), nil
	}}
	request := rostering.Request{Path: "/jobs", Method: "POST", Body: body}
	_, err := client.SendRequest(t.Context(), request)
	if e := wantError(t, err, rostering.CodeServiceUnauthorized); e.Status != http.StatusUnauthorized || !errors.Is(err, gone) {
		t.Errorf("the error is %+v", e)
	}
	if _, err := client.SendRequest(t.Context(), request); err != nil {
		t.Errorf("with the new token: %v", err)
	}
	opened = 1
	if _, err := client.SendRequest(t.Context(), request); !errors.Is(err, gone) {
		t.Errorf("a body that cannot be sent at all: %v", err)
	}
	s.wantRequests(t, 2, 3)
}

func TestToken(t *testing.T) {
	s := newService(t)
	client, other := s.client(t), s.client(t)
	get := func(want string, options ...rostering.CallOption) rostering.Token {
		t.Helper()
		token, err := client.GetToken(t.Context(), options...)
		if err != nil || string(token.AccessToken) != want || token.Type != "Bearer" || token.CacheKey == "" {
			t.Fatalf("the token is %v %q, want %s: %v", token, string(token.AccessToken), want, err)
		}
		return token
	}
	first := get("access-token-1")
	if now := time.Now(); !first.ExpiresAt.After(now) || first.ExpiresAt.After(now.Add(time.Hour)) {
		t.Errorf("it expires at %v", first.ExpiresAt)
	}
	if err := other.SetToken(t.Context(), first); err != nil {
		t.Error(err)
	}
	wantJobs(t, other)
	get("access-token-1")
	get("access-token-2", rostering.Force())
	get("access-token-2", rostering.Refused(first.AccessToken))
	late := rostering.Now(time.Now().Add(2 * time.Hour))
	get("access-token-3", late)
	wantError(t, other.SetToken(t.Context(), first, late), rostering.CodeTokenMismatch)
	if err := client.ClearToken(t.Context()); err != nil {
		t.Error(err)
	}
	get("access-token-4")
	s.wantRequests(t, 4, 1)
}

// together calls f in goroutines, none of which begins before all are there.
func together(goroutines int, f func()) {
	var ready, done sync.WaitGroup
	ready.Add(goroutines)
	for range goroutines {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			f()
		})
	}
	done.Wait()
}

func TestInstancesShareOneToken(t *testing.T) {
	s := newService(t)
	client := s.client(t, rostering.WithInstances(3))
	for round := range int64(2) {
		together(30, func() { wantJobs(t, client) })
		s.wantRequests(t, round+1, 30*(round+1))
		if err := client.ClearToken(t.Context()); err != nil { // for all of them
			t.Error(err)
		}
	}
}

func TestConnectionsAreReusedAndClosed(t *testing.T) {
	const callers, rounds = 20, 5
	s := newService(t)
	var opened, ended atomic.Int64
	server := httptest.NewUnstartedServer(s.Config.Handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			opened.Add(1)
		case http.StateClosed:
			ended.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	config := s.config()
	config.BaseURL = server.URL
	client := newClient(t, config)
	for range rounds {
		release := make(chan struct{})
		handler, arrived := hold(release, reply(http.StatusOK, jobs))
		s.onRequest(handler)
		go func() {
			for range callers {
				<-arrived
			}
			close(release)
		}()
		together(callers, func() { wantJobs(t, client) })
	}
	// A call may end shortly before its connection is free: hence half.
	if got := opened.Load(); got > callers*rounds/2 {
		t.Errorf("%d connections for %d requests, %d at a time", got, callers*rounds, callers)
	}
	if err := client.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ended.Load() < opened.Load(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d connections are open", opened.Load()-ended.Load(), opened.Load())
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestHTTPClient(t *testing.T) {
	s := newService(t)
	var sent []string
	own := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Method+" "+r.URL.Path)
		return http.DefaultTransport.RoundTrip(r)
	})}
	client := s.client(t, rostering.WithHTTPClient(own))
	s.onRequest(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) })
	_, err := client.ListJobs(t.Context())
	if e := wantError(t, err, rostering.CodeServiceError); e.Status != http.StatusFound {
		t.Errorf("the error is %+v", e)
	}
	if want := []string{"POST /connect/token", "GET /jobs"}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
	if own.CheckRedirect != nil {
		t.Error("the caller's client was changed")
	}
}

func TestMaxBody(t *testing.T) {
	s := newService(t)
	client := s.client(t, rostering.WithMaxBody(int64(len(jobs))))
	wantJobs(t, client)
	s.onRequest(reply(http.StatusOK, jobs+" "))
	_, err := client.ListJobs(t.Context())
	if e := wantError(t, err, rostering.CodeNetworkError); !strings.Contains(e.Message, "longer than 10 bytes") {
		t.Errorf("the message is %q", e.Message)
	}
}

func TestLogger(t *testing.T) {
	defer extism.SetLogLevel(extism.LogLevelOff)
	s := newService(t)
	var lines bytes.Buffer
	client := s.client(t, rostering.WithLogger(slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	wantJobs(t, client)
	s.refuse("access-token-1", nothing)
	if _, err := client.ListJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"level=DEBUG msg=\"HTTP 200 to POST", "level=DEBUG msg=\"HTTP 401 to GET", "level=WARN msg="} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("%s is not in the log:\n%s", want, &lines)
		}
	}
	if strings.Contains(lines.String(), "Calling") {
		t.Errorf("go-sdk's lines are in the log:\n%s", &lines)
	}
}

func TestClose(t *testing.T) {
	s := newService(t)
	client := s.client(t)
	release := make(chan struct{})
	handler, arrived := hold(release, reply(http.StatusOK, jobs))
	s.onRequest(handler)
	result := make(chan error, 1)
	go func() {
		_, err := client.ListJobs(t.Context())
		result <- err
	}()
	<-arrived
	ended, end := context.WithCancel(t.Context())
	end()
	if err := client.Close(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("closed with a call in progress: %v", err)
	}
	if _, err := client.ListJobs(t.Context()); !errors.Is(err, rostering.ErrClosed) {
		t.Errorf("a call after Close: %v", err)
	}
	close(release)
	for range 2 {
		if err := client.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := <-result; err != nil {
		t.Errorf("the call before Close: %v", err)
	}
	if err := client.ClearToken(t.Context()); !errors.Is(err, rostering.ErrClosed) {
		t.Errorf("ClearToken after Close: %v", err)
	}
}
