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
	"os"
	"path/filepath"
	"strings"
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
	bounded, end := context.WithTimeout(t.Context(), patience)
	defer end()
	if _, err := s.Wait(bounded, Counts{JobRequests: 1}); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := s.Wait(bounded, Counts{TokenRequests: 1})
		ended <- err
	}()
	var addresses []string
	for _, address := range []string{s.AuthURL(), s.BaseURL(), s.ControlURL()} {
		addresses = append(addresses, strings.TrimPrefix(address, "http://"))
	}
	idle, err := net.Dial("tcp", addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = idle.Close() }()

	cancel()
	<-s.closing
	if err := s.Close(); err != nil { // waits for the end
		t.Errorf("close: %v", err)
	}
	for _, address := range addresses {
		if _, err := net.Dial("tcp", address); err == nil {
			t.Errorf("%s still listens", address)
		}
	}
	for range 2 {
		if err := <-ended; err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the delayed request or the wait ended with %v", err)
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

func TestLog(t *testing.T) {
	var log bytes.Buffer
	s := start(t, Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	granted(t, s)
	do(t, jobsRequest(s, "bad"), 401)
	control(t, s, "POST", "/faults", `{"server":"jobs","cut_off":true}`, 204)
	_, _ = try(jobsRequest(s, "bad"))
	_ = s.Close() // waits for the last lines
	for _, want := range []string{
		"server=auth method=POST path=/connect/token status=200 duration=",
		"server=jobs method=GET path=/jobs status=401 duration=",
		`server=jobs method=GET path=/jobs status=-1 duration=`,
	} {
		if strings.Count(log.String(), want) != 1 {
			t.Errorf("no %s in %s", want, &log)
		}
	}
}
