package rostering_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

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

func TestCustomerViewAndUserView(t *testing.T) {
	s, client := open(t)
	config := s.Config()
	s.Fault(sandbox.Fault{Server: "jobs", Status: 200}) // the sandbox requires both ids
	for n, tt := range []struct {
		view           *rostering.Client
		customer, user string // not sent if empty
	}{
		{client, config.CustomerID, config.UserID},
		{client.ForCustomer("c2"), "c2", config.UserID},
		{client.ForUser("u2").ForNoCustomer(), "", "u2"},
		{client.ForNoUser(), config.CustomerID, ""},
		{client.ForNoUser().ForCustomer("c3").ForUser("u3"), "c3", "u3"},
	} {
		if _, err := tt.view.ListJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := tt.view.SendRequest(t.Context(), rostering.Request{Path: "/mine"}); err != nil {
			t.Fatal(err)
		}
		for _, r := range s.Requests("jobs")[2*n:] {
			customer, hasCustomer := r.Headers["customer_id"]
			user, hasUser := r.Headers["user_id"]
			if customer != tt.customer || user != tt.user || hasCustomer != (customer != "") || hasUser != (user != "") {
				t.Errorf("the ids are %q and %q, want %q and %q", customer, user, tt.customer, tt.user)
			}
		}
	}
	for key, view := range map[string]*rostering.Client{"customer_id": client.ForCustomer(""), "user_id": client.ForUser("")} {
		_, err := view.ListJobs(t.Context())
		if e := wantError(t, err, rostering.CodeInvalidInput); e.Key != key {
			t.Errorf("the error is %+v", e)
		}
	}
	s.WantCounts(t, 1, 10)
	if err := client.ForUser("u2").Close(); err != nil {
		t.Error(err)
	}
	if _, err := client.ListJobs(t.Context()); !errors.Is(err, rostering.ErrClosed) {
		t.Errorf("after a view was closed, the error is %v", err)
	}
}

func TestInvalidValue(t *testing.T) {
	s, client := open(t)
	for want, option := range map[string]rostering.Option{
		"WithTimeout": rostering.WithTimeout(-1), "WithMaxBody": rostering.WithMaxBody(0),
	} {
		_, err := rostering.New(t.Context(), s.Config(), option)
		if e := wantError(t, err, rostering.CodeConfigInvalid); e.Retryable || !strings.HasPrefix(e.Message, want+": ") {
			t.Errorf("the error is %+v", e)
		}
	}
	body := &tracked{Reader: strings.NewReader("x")}
	_, err := client.SendRequest(t.Context(), rostering.Request{Method: "POST", Path: "/jobs", Body: body}, rostering.WithCallTimeout(-1))
	if e := wantError(t, err, rostering.CodeInvalidInput); e.Retryable || !strings.HasPrefix(e.Message, "WithCallTimeout: ") {
		t.Errorf("the error is %+v", e)
	}
	if !body.closed {
		t.Error("the body is not closed")
	}
	_, err = client.GetToken(t.Context(), rostering.WithCallTimeout(-1))
	wantError(t, err, rostering.CodeInvalidInput)
	s.WantCounts(t, 0, 0)
}

// ListJobs(ctx, Force()) does not compile.
func TestOptionsOfGetTokenAreNotForOtherCalls(t *testing.T) {
	for _, option := range []rostering.TokenOption{rostering.Force(), rostering.Refused("x")} {
		if _, ok := option.(rostering.CallOption); ok {
			t.Errorf("%T is an option of every call", option)
		}
	}
	if _, ok := rostering.WithCallTimeout(0).(rostering.TokenOption); !ok {
		t.Error("the timeout is no option of GetToken")
	}
}

// A zero Client or Transport returns an error, and does not panic.
func TestZeroValues(t *testing.T) {
	var zero rostering.Client
	_, listed := zero.ForCustomer("c").ListJobs(t.Context())
	_, got := zero.GetToken(t.Context())
	_, made := rostering.NewTransport(&zero, nil)
	_, sent := (&http.Client{Transport: new(rostering.Transport)}).Get("http://127.0.0.1")
	for _, err := range []error{listed, got, made, sent, zero.SetToken(t.Context(), rostering.Token{}), zero.ClearToken(t.Context())} {
		wantError(t, err, rostering.CodeInvalidInput)
	}
	if err := errors.Join(zero.Close(), zero.Shutdown(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestToken(t *testing.T) {
	now := time.Now()
	clock := rostering.WithClock(func() time.Time { return now })
	s, client := open(t, clock)
	other := newClient(t, s.Config(), clock)
	var last rostering.Secret
	get := func(wantNew bool, options ...rostering.TokenOption) rostering.Token {
		t.Helper()
		token, err := client.GetToken(t.Context(), options...)
		if err != nil || token.Type != "Bearer" || token.CacheKey == "" || (token.AccessToken != last) != wantNew {
			t.Fatalf("the token is %v, a new one: %v, want %v: %v", token, token.AccessToken != last, wantNew, err)
		}
		last = token.AccessToken
		return token
	}
	first := get(true)
	if !first.ExpiresAt.After(now) || first.ExpiresAt.After(now.Add(time.Hour)) {
		t.Errorf("it expires at %v", first.ExpiresAt)
	}
	if err := other.SetToken(t.Context(), first); err != nil {
		t.Error(err)
	}
	wantJobs(t, other)
	get(false)
	get(true, rostering.Force())
	get(false, rostering.Refused(first.AccessToken))
	now = now.Add(2 * time.Hour)
	get(true)
	wantError(t, other.SetToken(t.Context(), first), rostering.CodeTokenMismatch)
	if err := client.ClearToken(t.Context()); err != nil {
		t.Error(err)
	}
	get(true)
	s.WantCounts(t, 4, 1)
}

// A client works until its token has to be replaced.
func TestRotatedSecret(t *testing.T) {
	s, client := open(t)
	wantJobs(t, client)
	s.Rotate()
	wantJobs(t, client)
	s.Revoke()
	_, err := client.ListJobs(t.Context())
	if e := wantError(t, err, rostering.CodeTokenEndpointRejected); e.Retryable || e.OAuthError != "invalid_client" {
		t.Errorf("the error is %+v", e)
	}
}

// together calls f in goroutines that all begin at the same time.
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

func TestLogger(t *testing.T) {
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
}
