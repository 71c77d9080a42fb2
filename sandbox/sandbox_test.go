package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestStartRejectsInvalidOptions(t *testing.T) {
	for name, c := range map[string]Config{
		"a port in the host":      {Host: "127.0.0.1:8080"},
		"a negative lifetime":     {Lifetime: -time.Hour},
		"half a second":           {Lifetime: 500 * time.Millisecond},
		"a lifetime that is long": {Lifetime: maxLifetime + time.Second},
		"a folder that is a file": {TLS: "sandbox.go"},
	} {
		if s, err := Start(t.Context(), c); err == nil {
			t.Errorf("%s: accepted", name)
			_ = s.Close()
		}
	}
}

// listens reports whether a server accepts connections.
func listens(t *testing.T, address string) bool {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || !net.ParseIP(u.Hostname()).IsLoopback() {
		t.Fatalf("%q is not a loopback address", address)
	}
	conn, err := net.DialTimeout("tcp", u.Host, patience)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

func TestCloseLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Start(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetFault(JobsServer, Fault{DelayMS: maxDelay}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() {
		_, err := try(jobsRequest(s, "x"))
		ended <- err
	}()
	eventually(t, "the delayed request", func() bool { return s.Counts().JobRequests == 1 })
	go func() {
		_, err := s.Wait(context.Background(), Counts{TokenRequests: 1})
		ended <- err
	}()
	idle, err := net.Dial("tcp", strings.TrimPrefix(s.AuthURL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = idle.Close() }()

	cancel() // closes it, too
	eventually(t, "the sandbox to close", func() bool { return !listens(t, s.ControlURL()) })
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	for _, address := range []string{s.AuthURL(), s.BaseURL(), s.ControlURL()} {
		if listens(t, address) {
			t.Errorf("%s still listens", address)
		}
	}
	for range 2 {
		select {
		case err := <-ended:
			if err == nil {
				t.Error("the delayed request or the wait succeeded")
			}
		case <-time.After(patience):
			t.Fatal("the delayed request or the wait did not end")
		}
	}
}

// A client that trusts ca.pem alone reaches both servers, and the controls stay plain.
func TestTLS(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	s := start(t, Config{TLS: folder, Host: "0.0.0.0"})
	if _, err := try(tokenRequest(s, form(s))); !errors.As(err, new(*tls.CertificateVerificationError)) {
		t.Errorf("a client that does not trust it has %v", err)
	}
	env := s.Env(Stage)
	file := env["SSL_CERT_FILE"]
	if file != filepath.Join(folder, "ca.pem") || env["NODE_EXTRA_CA_CERTS"] != file || env["DENO_CERT"] != file ||
		env["ROSTERING_ALLOW_HTTP"] != "" {
		t.Errorf("the variables are %q", env)
	}
	authority, err := os.ReadFile(file)
	trusted := x509.NewCertPool()
	if err != nil || !trusted.AppendCertsFromPEM(authority) {
		t.Fatalf("%v: %s", err, authority)
	}
	defer func(old http.RoundTripper) { httpClient.Transport = old }(httpClient.Transport)
	httpClient.Transport = &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted}}
	do(t, jobsRequest(s, granted(t, s).AccessToken), 200)
	control(t, s, "POST", "/reset", "", 204)
}

// Its URLs have the host that it listens on, and the libraries accept them: plain HTTP beyond loopback has to be allowed.
func TestHosts(t *testing.T) {
	for host, allowed := range map[string]string{"": "", "localhost": "", "0.0.0.0": "true"} {
		s := start(t, Config{Host: host})
		env := s.Env(Stage)
		if want := "http://" + cmp.Or(host, "127.0.0.1") + ":"; !strings.HasPrefix(env["ROSTERING_AUTH_URL"], want) || env["ROSTERING_ALLOW_HTTP"] != allowed {
			t.Errorf("%q: the variables are %q", host, env)
		}
		do(t, jobsRequest(s, granted(t, s).AccessToken), 200)
	}
}

// syncBuffer can be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (s *syncBuffer) logger() *slog.Logger { return slog.New(slog.NewTextHandler(s, nil)) }

func TestLog(t *testing.T) {
	var log syncBuffer
	s := start(t, Config{Log: log.logger()})
	granted(t, s)
	do(t, jobsRequest(s, "bad"), 401)
	control(t, s, "POST", "/faults", `{"server":"jobs","cut_off":true}`, 204)
	_, _ = try(jobsRequest(s, "bad"))
	for _, want := range []string{
		"server=auth method=POST path=/connect/token status=200 duration=",
		"server=jobs method=GET path=/jobs status=401 duration=",
		`server=jobs method=GET path=/jobs status=-1 duration=`,
	} {
		eventually(t, want, func() bool { return strings.Count(log.String(), want) == 1 })
	}
}
