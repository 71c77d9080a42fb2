package rostering_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

func TestResponse(t *testing.T) {
	s, client := open(t)
	s.Fault(sandbox.Fault{Server: "jobs", Status: 201, Headers: map[string]string{"Etag": "v1"}, Body: `[{"id":1}]`})
	r, err := client.ListJobs(t.Context())
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
	s, client := open(t)
	config := s.Config()
	s.Fault(sandbox.Fault{Server: "jobs", Status: 200}) // the sandbox requires both ids
	for n, tt := range []struct {
		options        []rostering.CallOption
		customer, user string // not sent if empty
	}{
		{nil, config.CustomerID, config.UserID},
		{[]rostering.CallOption{rostering.Customer("c2")}, "c2", config.UserID},
		{[]rostering.CallOption{rostering.User("u2"), rostering.NoCustomer()}, "", "u2"},
		{[]rostering.CallOption{rostering.NoUser()}, config.CustomerID, ""},
	} {
		if _, err := client.ListJobs(t.Context(), tt.options...); err != nil {
			t.Fatal(err)
		}
		sent := s.Requests("jobs")[n].Headers
		customer, hasCustomer := sent["customer_id"]
		user, hasUser := sent["user_id"]
		if customer != tt.customer || user != tt.user || hasCustomer != (customer != "") || hasUser != (user != "") {
			t.Errorf("the ids are %q and %q, want %q and %q", customer, user, tt.customer, tt.user)
		}
	}
	for key, option := range map[string]rostering.CallOption{"customer_id": rostering.Customer(""), "user_id": rostering.User("")} {
		_, err := client.ListJobs(t.Context(), option)
		if e := wantError(t, err, rostering.CodeInvalidInput); e.Key != key {
			t.Errorf("the error is %+v", e)
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
	s, client := open(t)
	for _, tt := range []struct {
		body            rostering.Body
		content, length string // no length if it is sent in chunks
	}{
		{rostering.Body{}, "", "0"},
		{rostering.Text(""), "", "0"},
		{rostering.Text("Schicht für Jürgen"), "Schicht für Jürgen", "20"},
		{rostering.Bytes([]byte("\x00\xff")), "\x00\ufffd", "2"}, // as the sandbox shows it
		{stream("a\xffb"), "a\ufffdb", ""},
	} {
		if _, err := client.GetToken(t.Context(), rostering.Force()); err != nil {
			t.Fatal(err)
		}
		s.Fault(sandbox.Fault{Server: "jobs", Status: 401, Requests: 1})
		request := rostering.Request{Path: "/jobs/1?a=b", Method: "PUT", Header: map[string]string{"X-Kind": "!"}, Body: tt.body}
		_, err := client.SendRequest(t.Context(), request)
		if e := wantError(t, err, rostering.CodeServiceError); e.Status != http.StatusNotFound {
			t.Errorf("the error is %+v", e)
		}
		sent := s.Requests("jobs")
		for _, r := range sent[len(sent)-2:] { // the second with a new token
			if r.Method != "PUT" || r.Target != request.Path || r.Body != tt.content ||
				r.Headers["content-length"] != tt.length || r.Headers["x-kind"] != "!" {
				t.Errorf("%q was sent, want %q of length %q", r, tt.content, tt.length)
			}
		}
	}
}

func TestABodyThatCannotBeSentAgain(t *testing.T) {
	s, client := open(t)
	wantJobs(t, client)
	opened, gone := 0, errors.New("gone")
	body := rostering.Body{Open: func() (io.ReadCloser, error) {
		if opened++; opened == 2 {
			return nil, gone
		}
		return io.NopCloser(strings.NewReader("once")), nil
	}}
	request := rostering.Request{Path: "/jobs", Method: "POST", Body: body}
	s.Fault(sandbox.Fault{Server: "jobs", Status: 401})
	_, err := client.SendRequest(t.Context(), request)
	if e := wantError(t, err, rostering.CodeServiceUnauthorized); e.Status != http.StatusUnauthorized || !e.Retryable {
		t.Errorf("the error is %+v", e)
	}
	s.WantCounts(t, 1, 2)
	s.Fault(sandbox.Fault{Server: "jobs", Status: 201})
	if _, err := client.SendRequest(t.Context(), request); err != nil {
		t.Errorf("with the new token: %v", err)
	}
	opened = 1
	if _, err := client.SendRequest(t.Context(), request); !errors.Is(err, gone) {
		t.Errorf("a body that cannot be sent at all: %v", err)
	}
	s.WantCounts(t, 2, 3)

	first, unused := &tracked{Reader: strings.NewReader("x")}, &tracked{Reader: strings.NewReader("x")}
	bodies := []io.ReadCloser{first, unused}
	request.Body.Open = func() (io.ReadCloser, error) {
		next := bodies[0]
		bodies = bodies[1:]
		return next, nil
	}
	s.Fault(sandbox.Fault{Server: "jobs", Status: 401})
	s.Fault(sandbox.Fault{Server: "auth", Status: 400})
	_, err = client.SendRequest(t.Context(), request)
	wantError(t, err, rostering.CodeTokenEndpointRejected)
	if !first.closed || !unused.closed {
		t.Errorf("closed: the body that was sent %v, the one that was not %v", first.closed, unused.closed)
	}
	s.WantCounts(t, 3, 4)
}

func TestToken(t *testing.T) {
	s, client := open(t)
	other := newClient(t, s.Config())
	var last rostering.Secret
	get := func(wantNew bool, options ...rostering.CallOption) rostering.Token {
		t.Helper()
		token, err := client.GetToken(t.Context(), options...)
		if err != nil || token.Type != "Bearer" || token.CacheKey == "" || (token.AccessToken != last) != wantNew {
			t.Fatalf("the token is %v, a new one: %v, want %v: %v", token, token.AccessToken != last, wantNew, err)
		}
		last = token.AccessToken
		return token
	}
	first := get(true)
	if now := time.Now(); !first.ExpiresAt.After(now) || first.ExpiresAt.After(now.Add(time.Hour)) {
		t.Errorf("it expires at %v", first.ExpiresAt)
	}
	if err := other.SetToken(t.Context(), first); err != nil {
		t.Error(err)
	}
	wantJobs(t, other)
	get(false)
	get(true, rostering.Force())
	get(false, rostering.Refused(first.AccessToken))
	late := rostering.Now(time.Now().Add(2 * time.Hour))
	get(true, late)
	wantError(t, other.SetToken(t.Context(), first, late), rostering.CodeTokenMismatch)
	if err := client.ClearToken(t.Context()); err != nil {
		t.Error(err)
	}
	get(true)
	s.WantCounts(t, 4, 1)
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
	s, client := open(t, rostering.WithInstances(3))
	for round := range 2 {
		together(30, func() { wantJobs(t, client) })
		s.WantCounts(t, round+1, 30*(round+1))
		if err := client.ClearToken(t.Context()); err != nil { // for all of them
			t.Error(err)
		}
	}
}

func TestLogger(t *testing.T) {
	defer extism.SetLogLevel(extism.LogLevelOff)
	var lines bytes.Buffer
	s, client := open(t, rostering.WithLogger(slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	wantJobs(t, client)
	s.Revoke()
	wantJobs(t, client)
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
	s, client := open(t)
	s.Fault(sandbox.Fault{Server: "jobs", Hold: true})
	result := make(chan error, 1)
	go func() {
		_, err := client.ListJobs(t.Context())
		result <- err
	}()
	s.Wait(1, 1)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := client.Close(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("closed with a call in progress: %v", err)
	}
	if _, err := client.ListJobs(t.Context()); !errors.Is(err, rostering.ErrClosed) {
		t.Errorf("a call after Close: %v", err)
	}
	s.ClearFaults()
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
