package rostering_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	rostering "automatic-rostering.example/rostering/sdk/go"
)

// inBubble runs a test on a fake clock, which advances only when all goroutines wait. It
// begins at a time that the plugin accepts.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)))
		test(t)
	})
}

// hangs is an HTTP client that gets no response from a host.
func hangs(host string) rostering.Option {
	return faked(func(r *http.Request) error {
		if r.URL.Host == host {
			<-r.Context().Done()
		}
		return r.Context().Err()
	})
}

// The service does not respond.
func TestDeadlines(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		client, started := newClient(t, fullConfig, hangs(service)), time.Now()
		_, err := client.ListJobs(t.Context())
		if wantError(t, err, rostering.CodeNetworkError); !errors.Is(err, context.DeadlineExceeded) || time.Since(started) != 30*time.Second {
			t.Errorf("by default, it ended after %s with %v", time.Since(started), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go func() { _, _ = client.ListJobs(t.Context()) }()
		_, listed := client.ListJobs(ctx)
		for _, err := range []error{listed, client.Shutdown(ctx)} {
			if _, ok := errors.AsType[*rostering.Error](err); ok || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("with the deadline of a context, it ended with %v", err)
			}
		}
	})
}

func TestCanceledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	client := newClient(t, fullConfig, faked(func(*http.Request) error { panic("it was sent") }))
	_, opened := rostering.New(ctx, fullConfig)
	if _, err := client.ListJobs(ctx); !errors.Is(err, context.Canceled) || !errors.Is(opened, context.Canceled) {
		t.Errorf("the errors are %v and %v", opened, err)
	}
}

func TestRetryBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits, last := []time.Duration{0, 1, 2, 90, 8, 16, 30, 30}, time.Now() // in seconds
		_, _ = rostering.Retry(t.Context(), func(context.Context) (int, error) {
			want := waits[0] * time.Second
			if waited := time.Since(last); waited < want || waited > want+want/10 {
				t.Errorf("it waited for %s, not %s", waited, want)
			}
			last, waits = time.Now(), waits[1:]
			e := &rostering.Error{Retryable: len(waits) > 0}
			if e.Retryable && waits[0] == 90 {
				e.RetryAfter = 90 * time.Second
			}
			return 0, e
		})
		if len(waits) > 0 {
			t.Errorf("it ended before it waited for %d s", waits)
		}
	})
}

// stuck is a store that never returns from Add, whatever its context says.
type stuck struct{ rostering.MemoryStore }

func (*stuck) Add(context.Context, string, string, time.Duration) (bool, error) { select {} }

// Without a logger, a failing store is logged all the same, and nothing else.
func TestStoreThatIsStuck(t *testing.T) {
	logged := make(lines, 99)
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	client := newClient(t, fullConfig, hangs(""), rostering.WithStore(new(stuck)))
	if _, err := client.GetToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	if line := <-logged; len(logged) > 0 || !strings.Contains(line, "add failed") || !strings.Contains(line, "timed out after 1s") {
		t.Errorf("it logged %q, and %d lines more", line, len(logged))
	}
}

// later is a clock that is ahead, so that a token that is refused is not a new one, which a service may
// not know yet.
type later time.Duration

func (l *later) now() time.Time { return time.Now().Add(time.Duration(*l)) }

// A body is sent again after a 401, if that is possible. The length is -1 if it is sent in chunks.
func TestBodies(t *testing.T) {
	opened := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("opened")), nil }
	for _, tt := range []struct {
		request rostering.Request
		want    []string
	}{
		{rostering.Request{Body: http.NoBody}, []string{" 0", " 0"}},
		{rostering.Request{Body: strings.NewReader("")}, []string{" 0", " 0"}},
		{rostering.Request{Body: bytes.NewReader([]byte("\x00\xff"))}, []string{"\x00\xff 2", "\x00\xff 2"}},
		{rostering.Request{Body: bytes.NewBufferString("buffer")}, []string{"buffer 6", "buffer 6"}},
		{rostering.Request{GetBody: opened}, []string{"opened -1", "opened -1"}},
		{rostering.Request{GetBody: opened, ContentLength: 6}, []string{"opened 6", "opened 6"}},
		{rostering.Request{Body: bufio.NewReader(strings.NewReader("once"))}, []string{"once -1"}},
		{rostering.Request{Body: bufio.NewReader(strings.NewReader("once")), ContentLength: 4}, []string{"once 4"}},
	} {
		var sent []string
		var clock later
		_, client := open(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = append(sent, fmt.Sprint(string(body), " ", r.ContentLength))
			w.WriteHeader(http.StatusUnauthorized)
		}, rostering.WithClock(clock.now))
		_, _ = client.GetToken(t.Context())
		clock = later(time.Minute)
		tt.request.Method, tt.request.Path = "PUT", "/"
		_, err := client.SendRequest(t.Context(), tt.request)
		if wantError(t, err, rostering.CodeServiceUnauthorized); !slices.Equal(sent, tt.want) {
			t.Errorf("%q was sent, want %q", sent, tt.want)
		}
	}
	_, client := open(t, responds(http.StatusOK, ""))
	for _, path := range []string{"/", "not a path"} {
		file, _ := os.Open("README.md")
		_, _ = client.SendRequest(t.Context(), rostering.Request{Method: "PUT", Path: path, Body: file})
		if err := file.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("after a request to %q, its body is open", path)
		}
	}
}

// An error of the caller's body is not a network_error, which could be retried.
func TestBodyThatFails(t *testing.T) {
	_, client := open(t, responds(http.StatusOK, ""))
	for want, request := range map[string]rostering.Request{
		"body: cannot open": {GetBody: func() (io.ReadCloser, error) { return nil, errors.New("cannot open") }},
		"body: gone":        {Body: io.MultiReader(strings.NewReader("x"), iotest.ErrReader(errors.New("gone")))},
		"GetBody returned":  {GetBody: func() (io.ReadCloser, error) { return nil, nil }},
		"not have 3 bytes":  {Body: iotest.OneByteReader(strings.NewReader("long")), ContentLength: 3},
		"not have 5 bytes":  {Body: iotest.OneByteReader(strings.NewReader("tiny")), ContentLength: 5},
	} {
		request.Method, request.Path = "POST", "/jobs"
		_, err := client.SendRequest(t.Context(), request)
		if _, ok := errors.AsType[*rostering.Error](err); ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", want, err)
		}
	}
}

// A body that never ends holds back neither its call nor a client that closes.
func TestBodyThatBlocks(t *testing.T) {
	_, client := open(t, responds(http.StatusOK, ""))
	body, written := io.Pipe()
	defer func() { _ = written.Close() }()
	opened := func() (io.ReadCloser, error) { _, _ = body.Read([]byte{0}); return body, nil }
	for _, request := range []rostering.Request{{Body: bufio.NewReader(body)}, {GetBody: opened}} {
		request.Method, request.Path = "POST", "/jobs"
		_, err := client.SendRequest(t.Context(), request, rostering.WithCallTimeout(100*time.Millisecond))
		wantError(t, err, rostering.CodeNetworkError)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

// The caller's HTTP client gets the call's context, for spans, and is not changed, although
// redirects are not followed.
func TestHTTPClient(t *testing.T) {
	type span struct{}
	var sent []any
	own := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Context().Value(span{}), r.URL.Path)
		return http.DefaultTransport.RoundTrip(r)
	})}
	redirect := http.RedirectHandler("/elsewhere", http.StatusFound).ServeHTTP
	_, client := open(t, redirect, rostering.WithHTTPClient(own))
	_, err := client.ListJobs(context.WithValue(t.Context(), span{}, "span"))
	wantError(t, err, rostering.CodeServiceError)
	if want := []any{"span", "/connect/token", "span", "/jobs"}; !slices.Equal(sent, want) || own.CheckRedirect != nil {
		t.Errorf("sent %q, want %q; the client is now %+v", sent, want, own)
	}
}

// The connection of the first response is used again, and the second does not show the token.
func TestTransportClosesTheFirstResponse(t *testing.T) {
	var connections []string
	var clock later
	s, client := open(t, func(w http.ResponseWriter, r *http.Request) {
		if connections = append(connections, r.RemoteAddr); len(connections) == 1 {
			responds(http.StatusUnauthorized, "refused")(w, r)
		}
	}, rostering.WithClock(clock.now))
	_, _ = client.GetToken(t.Context())
	clock = later(time.Minute)
	transport, _ := rostering.NewTransport(client, nil)
	r, err := (&http.Client{Transport: transport}).Get(s.URL)
	if err != nil || r.StatusCode != http.StatusOK || r.Request.Header.Get("Authorization") != "" {
		t.Fatalf("the response is %+v, %v", r, err)
	}
	if len(connections) != 2 || connections[0] != connections[1] {
		t.Errorf("the connections are from %q", connections)
	}
}

func TestTransportWithoutResponse(t *testing.T) {
	s, client := open(t, responds(http.StatusOK, ""))
	transport, _ := rostering.NewTransport(client, roundTripper(func(*http.Request) (*http.Response, error) { return nil, nil }))
	if _, err := (&http.Client{Transport: transport}).Get(s.URL); err == nil {
		t.Error("it returned no error")
	}
}

func TestTokenSource(t *testing.T) {
	_, client := open(t, responds(http.StatusOK, ""))
	token, err := client.TokenSource(t.Context()).Token()
	if err != nil || token.AccessToken != "token-0001" || time.Until(token.Expiry).Round(time.Hour) != time.Hour || token.Type() != "Bearer" {
		t.Errorf("the token is %+v, %v", token, err)
	}
}
