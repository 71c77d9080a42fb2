package rostering_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	extism "github.com/extism/go-sdk"

	"automatic-rostering/host-example/go/rostering"
)

func TestFirstCallAndCachedCall(t *testing.T) {
	s := newService(t)
	client := open(t, s.config())
	wantJobs(t, client)
	s.wantRequests(t, 1, 1)
	wantJobs(t, client)
	s.wantRequests(t, 1, 2)
}

func TestRequestsAreThoseOfTheConfig(t *testing.T) {
	s := newService(t)
	s.answerToken(func(w http.ResponseWriter, r *http.Request) {
		for name, want := range map[string]string{
			"grant_type": "client_credentials", "client_id": "client", "client_secret": "s3cr3t", "scope": "own",
		} {
			if got := r.PostFormValue(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		answer(http.StatusOK, `{"access_token":"abc","expires_in":3600,"token_type":"Bearer"}`)(w, r)
	})
	config := s.config()
	config.Environment, config.Scope = "", "own"
	client := open(t, config)
	for _, tt := range []struct {
		in             rostering.JobsInput
		customer, user []string
	}{
		{rostering.JobsInput{}, []string{"customer"}, []string{"user"}},
		{rostering.JobsInput{CustomerID: "c2"}, []string{"c2"}, []string{"user"}},
		{rostering.JobsInput{UserID: "u2"}, []string{"customer"}, []string{"u2"}},
		{rostering.JobsInput{CustomerID: "c2", OmitCustomerID: true, OmitUserID: true}, nil, nil},
	} {
		s.answerJobs(func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Authorization"); got != "Bearer abc" {
				t.Errorf("Authorization is %q", got)
			}
			if got := r.Header.Values("CUSTOMER_ID"); !slices.Equal(got, tt.customer) {
				t.Errorf("CUSTOMER_ID is %q, want %q", got, tt.customer)
			}
			if got := r.Header.Values("USER_ID"); !slices.Equal(got, tt.user) {
				t.Errorf("USER_ID is %q, want %q", got, tt.user)
			}
		})
		if _, err := client.JobsFor(t.Context(), tt.in); err != nil {
			t.Errorf("%+v: %v", tt.in, err)
		}
	}
}

func TestManyGoroutinesShareOneToken(t *testing.T) {
	const goroutines = 20
	s := newService(t)
	client := open(t, s.config())
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			if body, err := client.Jobs(t.Context()); err != nil || string(body) != jobs {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
	wg.Wait()
	s.wantRequests(t, 1, goroutines)
}

func TestLog(t *testing.T) {
	extism.SetLogLevel(extism.LogLevelDebug)
	defer extism.SetLogLevel(extism.LogLevelOff)
	s := newService(t)
	var lines []string
	client := open(t, s.config(), rostering.WithLog(func(level slog.Level, line string) {
		lines = append(lines, level.String()+" "+line)
	}))
	wantJobs(t, client)
	s.answerJobs(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer token-1" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	if _, err := client.Jobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(s.URL, "http://")
	token, jobs := "to POST "+host+"/connect/token", "to GET "+host+"/jobs"
	want := []string{
		"DEBUG HTTP 200 " + token, "DEBUG HTTP 200 " + jobs,
		"DEBUG HTTP 401 " + jobs, "DEBUG HTTP 200 " + token, "DEBUG HTTP 200 " + jobs,
		"WARN the service refused the token; a new one was accepted",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("the log is %q, want %q", lines, want)
	}
}

func TestClosedClient(t *testing.T) {
	s := newService(t)
	client := open(t, s.config())
	wantJobs(t, client)
	for range 2 {
		if err := client.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.Jobs(t.Context()); !errors.Is(err, rostering.ErrClosed) {
		t.Errorf("the error is %v", err)
	}
}

func TestCloseWaitsForTheCallUnderWay(t *testing.T) {
	s := newService(t)
	client := open(t, s.config())
	handler, arrived := block()
	s.answerJobs(handler)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := client.Jobs(ctx)
		result <- err
	}()
	<-arrived
	ended, end := context.WithCancel(t.Context())
	end()
	if err := client.Close(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("closed with a call under way: %v", err)
	}
	cancel()
	if err := client.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the call under way: %v", err)
	}
}
