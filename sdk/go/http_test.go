package rostering_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestHTTPClient(t *testing.T) {
	var sent []string
	own := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Method+" "+r.URL.Path)
		return http.DefaultTransport.RoundTrip(r)
	})}
	s, client := open(t, rostering.WithHTTPClient(own))
	s.Fault(sandbox.Fault{Server: "jobs", Status: 302, Headers: map[string]string{"Location": "/elsewhere"}})
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
	s, client := open(t, rostering.WithMaxBody(10))
	s.Fault(sandbox.Fault{Server: "jobs", Status: 200, Body: `[{"id":1}]`})
	if _, err := client.ListJobs(t.Context()); err != nil {
		t.Error(err)
	}
	s.Fault(sandbox.Fault{Server: "jobs", Status: 200, Body: `[{"id":1}] `})
	_, err := client.ListJobs(t.Context())
	if e := wantError(t, err, rostering.CodeNetworkError); e.Retryable || !strings.Contains(e.Message, "WithMaxBody (10 bytes)") {
		t.Errorf("the message is %q", e.Message)
	}
}

func TestConnectionsAreReusedAndClosed(t *testing.T) {
	const callers, rounds = 20, 5
	s, client := open(t)
	var mutex sync.Mutex
	var opened []net.Conn
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		mutex.Lock()
		defer mutex.Unlock()
		if !c.Reused {
			opened = append(opened, c.Conn)
		}
	}})
	for round := range rounds {
		s.Fault(sandbox.Fault{Server: "jobs", Hold: true})
		var control sync.WaitGroup
		control.Go(func() {
			s.Wait(1, callers*(round+1))
			s.ClearFaults()
		})
		together(callers, func() {
			if _, err := client.ListJobs(ctx); err != nil {
				t.Error(err)
			}
		})
		control.Wait()
	}
	// A call may end shortly before its connection is idle, so half of them is allowed.
	if got := len(opened); got < callers || got > callers*rounds/2 {
		t.Errorf("%d connections for %d requests, %d at a time", got, callers*rounds, callers)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(patience)
	for _, c := range opened {
		for !errors.Is(c.SetDeadline(time.Time{}), net.ErrClosed) {
			if time.Now().After(deadline) {
				t.Fatal("a connection stays open")
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// net/http reads the proxies of the environment once, so the test runs in its own process.
func TestLoopbackProxy(t *testing.T) {
	if os.Getenv("HTTP_PROXY") != "http://127.0.0.1:9" {
		test := exec.Command(os.Args[0], "-test.run=^TestLoopbackProxy$")
		test.Env = append(os.Environ(), "HTTP_PROXY=http://127.0.0.1:9", "http_proxy=", "NO_PROXY=", "no_proxy=")
		if out, err := test.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	s, client := open(t)
	wantJobs(t, client)
	config := s.Config()
	config.BaseURL, config.AllowHTTP = "http://rostering.invalid", true
	_, err := newClient(t, config).ListJobs(t.Context())
	if e := wantError(t, err, rostering.CodeNetworkError); !strings.Contains(e.Message, "proxyconnect") && !strings.Contains(e.Message, "127.0.0.1:9") {
		t.Errorf("the proxy is not used for another host: %v", e)
	}
}

// The HTTP client's proxy, private certificate authority and client certificate are used.
func TestProxyAndTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, someToken)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	var connected atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "", http.StatusMethodNotAllowed)
			return
		}
		connected.Add(1)
		far, err := net.Dial("tcp", r.Host)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = far.Close() }()
		near, sent, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = near.Close() }()
		_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(far, sent) }()
		_, _ = io.Copy(near, far)
	}))
	defer proxy.Close()
	proxyURL, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	transport := &http.Transport{
		Proxy:           http.ProxyURL(proxyURL),
		TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: server.TLS.Certificates},
	}
	defer transport.CloseIdleConnections()
	config := fullConfig
	config.AuthURL, config.BaseURL = server.URL, server.URL
	own := newClient(t, config, rostering.WithHTTPClient(&http.Client{Transport: transport}))
	if _, err := own.ListJobs(t.Context()); err != nil || connected.Load() != 1 {
		t.Errorf("%d connections by the proxy, %v", connected.Load(), err)
	}
	_, err = newClient(t, config).ListJobs(t.Context())
	if e := wantError(t, err, rostering.CodeNetworkError); !errors.As(err, new(*tls.CertificateVerificationError)) {
		t.Errorf("without the certificates: %v", e)
	}
}

// So that the requests become spans of the caller's.
func TestContextReachesTheHTTPClient(t *testing.T) {
	type span struct{}
	var paths []string
	client := newClient(t, fullConfig, rostering.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Context().Value(span{}) != nil {
			paths = append(paths, r.URL.Path)
		}
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(someToken))}, nil
	})}))
	_, err := client.ListJobs(context.WithValue(t.Context(), span{}, 1))
	if want := []string{"/connect/token", "/jobs"}; err != nil || !slices.Equal(paths, want) {
		t.Errorf("the requests are %q, %v, want %q", paths, err, want)
	}
}
