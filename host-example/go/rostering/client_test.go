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
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		wantJobs(t, client)
		s.wantRequests(t, 1, 1)
		wantJobs(t, client)
		s.wantRequests(t, 1, 2)
	})
}

func TestRequestsAreThoseOfTheConfig(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
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
				wantHeader(t, r, "Authorization", "Bearer abc")
				wantHeader(t, r, "CUSTOMER_ID", tt.customer...)
				wantHeader(t, r, "USER_ID", tt.user...)
			})
			if _, err := client.JobsFor(t.Context(), tt.in); err != nil {
				t.Errorf("%+v: %v", tt.in, err)
			}
		}
	})
}

func wantHeader(t *testing.T, r *http.Request, name string, want ...string) {
	t.Helper()
	if got := r.Header.Values(name); !slices.Equal(got, want) {
		t.Errorf("%s is %q, want %q", name, got, want)
	}
}

func TestManyGoroutinesShareOneToken(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		const goroutines = 20
		s := newService(t)
		client := open(t, s.config())
		together(goroutines, func() {
			if body, err := client.Jobs(t.Context()); err != nil || string(body) != jobs {
				t.Errorf("%q, %v", body, err)
			}
		})
		s.wantRequests(t, 1, goroutines)
	})
}

// together calls f in some goroutines, none of which begins before all are there.
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

func TestLog(t *testing.T) {
	extism.SetLogLevel(extism.LogLevelDebug)
	defer extism.SetLogLevel(extism.LogLevelOff)
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		var lines []string
		client := open(t, s.config(), rostering.WithLog(func(level slog.Level, line string) {
			lines = append(lines, level.String()+" "+line)
		}))
		wantJobs(t, client)
		s.revoke("token-1")
		wantJobs(t, client)
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
	})
}

func TestClosedClient(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
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
	})
}

func TestCloseWaitsForTheCallUnderWay(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		arrived, release := make(chan struct{}), make(chan struct{})
		s.answerJobs(func(w http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-release
			answer(http.StatusOK, jobs)(w, r)
		})
		result := make(chan error, 1)
		go func() {
			_, err := client.Jobs(t.Context())
			result <- err
		}()
		<-arrived
		ended, end := context.WithCancel(t.Context())
		end()
		if err := client.Close(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("closed with a context that has ended: %v", err)
		}
		short, cancel := context.WithTimeout(t.Context(), brief)
		defer cancel()
		if err := client.Close(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closed with a call under way: %v", err)
		}
		close(release)
		if err := client.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-result; err != nil {
			t.Errorf("the call under way: %v", err)
		}
	})
}
