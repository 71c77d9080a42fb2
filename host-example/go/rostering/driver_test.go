package rostering_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"automatic-rostering/host-example/go/rostering"
)

type driverOpener = func(rostering.Config, ...rostering.Option) driven

func TestThePluginsOwnHTTPIsOff(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		s := newService(t)
		err := open(s.config()).CallDirectly("list_jobs")
		if err == nil || !strings.Contains(err.Error(), "not allowed") {
			t.Errorf("the error is %v", err)
		}
		s.wantRequests(t, 0, 0)
	})
}

// gather answers no request before so many have arrived. Then it calls each of then,
// and answers all.
func gather(t *testing.T, requests int, h http.HandlerFunc, then ...func()) http.HandlerFunc {
	var mutex sync.Mutex
	arrived, all := 0, make(chan struct{})
	return func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		if arrived++; arrived == requests {
			for _, f := range then {
				f()
			}
			close(all)
		}
		mutex.Unlock()
		select {
		case <-all:
			h(w, r)
		case <-time.After(patience):
			t.Errorf("the requests are not under way at the same time")
		}
	}
}

func TestRequestsAreUnderWayAtTheSameTime(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		const callers = 20
		s := newService(t)
		client := open(s.config())
		s.answerJobs(gather(t, callers, answer(http.StatusOK, jobs)))
		together(callers, func() {
			if body, err := client.Jobs(t.Context()); err != nil || string(body) != jobs {
				t.Errorf("%q, %v", body, err)
			}
		})
		s.wantRequests(t, 1, callers)
	})
}

func TestConnectionsAreUsedAgainAndClosed(t *testing.T) {
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
	config.AuthURL, config.BaseURL = server.URL, server.URL
	client := openDriver(t, config)
	for range rounds {
		s.answerJobs(gather(t, callers, answer(http.StatusOK, jobs)))
		together(callers, func() {
			if _, err := client.Jobs(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	// A call may end shortly before its connection is free: hence half.
	if got := opened.Load(); got > callers*rounds/2 {
		t.Errorf("%d connections were opened for %d requests, %d at a time", got, callers*rounds, callers)
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

func TestARevokedTokenIsRenewedOnce(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		const callers = 20
		s := newService(t)
		client := open(s.config())
		wantJobs(t, client)
		refused := gather(t, callers, answer(http.StatusUnauthorized, ""))
		s.answerJobs(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer token-1" {
				refused(w, r)
				return
			}
			answer(http.StatusOK, jobs)(w, r)
		})
		together(callers, func() {
			if body, err := client.Jobs(t.Context()); err != nil || string(body) != jobs {
				t.Errorf("%q, %v", body, err)
			}
		})
		s.wantRequests(t, 2, 1+2*callers)
	})
}

func TestRetryAfter(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		s := newService(t)
		s.answerToken(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(http.StatusTooManyRequests)
		})
		_, err := open(s.config()).Jobs(t.Context())
		if e := wantError(t, err, rostering.CodeTokenEndpointUnavailable); e.RetryAfter != 90*time.Second {
			t.Errorf("%+v", e)
		}
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		var elsewhere atomic.Int64
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
		defer other.Close()
		away := func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}
		for _, options := range [][]rostering.Option{nil, {rostering.WithHTTPClient(&http.Client{})}} {
			s := newService(t)
			s.answerToken(away)
			_, err := open(s.config(), options...).Jobs(t.Context())
			if e := wantError(t, err, rostering.CodeTokenEndpointRejected); e.Status != http.StatusTemporaryRedirect {
				t.Errorf("%+v", e)
			}
			s.mend()
			s.answerJobs(away)
			_, err = open(s.config(), options...).Jobs(t.Context())
			if e := wantError(t, err, rostering.CodeServiceError); e.Status != http.StatusTemporaryRedirect {
				t.Errorf("%+v", e)
			}
		}
		if elsewhere.Load() != 0 {
			t.Error("a redirect was followed")
		}
	})
}

func TestReasonOfALostRequest(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		s := newService(t)
		config := s.config()
		config.AuthURL = "http://" + closedPort(t)
		_, err := open(config).Jobs(t.Context())
		e := wantError(t, err, rostering.CodeNetworkError)
		for _, want := range []string{"connection refused", "auth_url"} {
			if !strings.Contains(e.Message, want) {
				t.Errorf("%q is not in %q", want, e.Message)
			}
		}
		if strings.Contains(e.Message, "s3cr3t") {
			t.Error("the secret shows")
		}
	})
}

func sum(numbers []int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// A caller who gives up takes nothing from those who wait with it.
func TestACallThatIsCancelledCountsForNothing(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		s := newService(t)
		client := open(s.config())
		handler, arrived := block()
		s.answerToken(handler)
		ctx, cancel := context.WithCancel(t.Context())
		first, second := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := client.Jobs(ctx)
			first <- err
		}()
		<-arrived
		s.mend()
		go func() {
			_, err := client.Jobs(t.Context())
			second <- err
		}()
		for deadline := time.Now().Add(patience); sum(client.UnderWay()) < 2 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("the first call: %v", err)
		}
		if err := <-second; err != nil {
			t.Errorf("the second call: %v", err)
		}
		s.wantRequests(t, 2, 1)
	})
}

func TestTimeoutWhileAnotherCallAsksForAToken(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		s := newService(t)
		client := open(s.config())
		handler, arrived := block()
		s.answerToken(handler)
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() {
			_, err := client.Jobs(ctx)
			first <- err
		}()
		<-arrived
		rostering.SetTimeout(client, brief)
		_, err := client.Jobs(t.Context())
		if e := wantError(t, err, rostering.CodeNetworkError); !e.Retryable || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%+v", e)
		}
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("the first call: %v", err)
		}
	})
}

func TestARenewalThatHangsLeavesTimeForTheOldToken(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		s := newService(t)
		client := open(s.config())
		wantJobs(t, client)
		client.SetClock(func() time.Time { return time.Now().Add(time.Hour - 30*time.Second) }) // within the margin
		handler, _ := block()
		s.answerToken(handler)
		rostering.SetTimeout(client, 2*time.Second)
		wantJobs(t, client)
		s.wantRequests(t, 2, 2)
	})
}

func TestTokenOfAnExpiredOne(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		s := newService(t)
		client := open(s.config())
		wantJobs(t, client)
		client.SetClock(func() time.Time { return time.Now().Add(2 * time.Hour) })
		together(4, func() {
			if _, err := client.Jobs(t.Context()); err != nil {
				t.Error(err)
			}
		})
		s.wantRequests(t, 2, 5)
	})
}

func TestTheTokenDoesNotShowInTheServicesAnswer(t *testing.T) {
	for _, tt := range []struct{ token, body, want string }{
		{"abc.def-1", `{"sent":"Bearer abc.def-1"}`, `{"sent":"Bearer [redacted]"}`},
		{"a/b+c==", `a\/b+c== a%2Fb%2Bc%3D%3D a%2Fb+c==`, "[redacted] [redacted] [redacted]"},
		{"abc", "ab\xffabc", "ab\uFFFD[redacted]"},
	} {
		inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
			s := newService(t)
			s.answerToken(answer(http.StatusOK, `{"access_token":"`+tt.token+`","expires_in":3600,"token_type":"Bearer"}`))
			s.answerJobs(answer(http.StatusForbidden, tt.body))
			_, err := open(s.config()).Jobs(t.Context())
			if e := wantError(t, err, rostering.CodeServiceError); e.Body != tt.want || e.BodyTruncated {
				t.Errorf("the body is %q, want %q", e.Body, tt.want)
			}
		})
	}
}

func TestAnAnswerThatIsTooLong(t *testing.T) {
	s := newService(t)
	client := openDriver(t, s.config())
	endless := func(w http.ResponseWriter, _ *http.Request) {
		for chunk := make([]byte, 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
	s.answerJobs(endless)
	_, err := client.Jobs(t.Context())
	if e := wantError(t, err, rostering.CodeNetworkError); !strings.Contains(e.Message, "longer than 52428800 bytes") {
		t.Errorf("the message is %q", e.Message)
	}
	s.mend()
	wantJobs(t, client)
}

func TestATokenAnswerThatIsTooLong(t *testing.T) {
	s := newService(t)
	s.answerToken(answer(http.StatusOK, `{"access_token":"abc","token_type":"Bearer"}`+strings.Repeat(" ", 1<<20)))
	_, err := openDriver(t, s.config()).Jobs(t.Context())
	wantError(t, err, rostering.CodeTokenResponseInvalid)
}

// The build that has no clock is told the time in every call.
func TestTheBuildWithoutWASI(t *testing.T) {
	s := newService(t)
	d, err := rostering.OpenDriverFile(t.Context(), noWASIPath, s.config(), rostering.WithCacheDir(compiled))
	client := closed(t, d, err)
	wantJobs(t, client)
	token, err := client.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token.ExpiresAt = time.Now().Add(-time.Second)
	wantError(t, client.SetToken(t.Context(), token), rostering.CodeTokenMismatch)
	s.answerToken(answer(http.StatusServiceUnavailable, ""))
	_, err = client.ForceToken(t.Context())
	if e := wantError(t, err, rostering.CodeTokenEndpointUnavailable); e.RetryAfter != time.Second {
		t.Errorf("%+v", e)
	}
}

// counter counts the requests that pass through it.
type counter struct{ requests atomic.Int64 }

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return http.DefaultTransport.RoundTrip(r)
}

func TestHTTPClient(t *testing.T) {
	inEachDrivenForm(t, func(t *testing.T, open driverOpener) {
		var c counter
		s := newService(t)
		wantJobs(t, open(s.config(), rostering.WithHTTPClient(&http.Client{Transport: &c})))
		if got := c.requests.Load(); got != 2 {
			t.Errorf("%d requests went through the client, want 2", got)
		}
	})
	_, err := rostering.OpenFile(t.Context(), wasmPath, rostering.Config{}, rostering.WithHTTPClient(http.DefaultClient))
	if err == nil || !strings.Contains(err.Error(), "WithHTTPClient") {
		t.Errorf("the error is %v", err)
	}
}

func TestATransportThatCannotRead(t *testing.T) {
	s := newService(t)
	broken := roundTripper(func(*http.Request) (*http.Response, error) { return nil, io.ErrClosedPipe })
	client := openDriver(t, s.config(), rostering.WithHTTPClient(&http.Client{Transport: broken}))
	_, err := client.Jobs(t.Context())
	if e := wantError(t, err, rostering.CodeNetworkError); !errors.Is(err, io.ErrClosedPipe) || !e.Retryable {
		t.Errorf("%+v", e)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
