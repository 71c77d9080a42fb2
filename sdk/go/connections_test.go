package rostering_test

import (
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
)

// After a timeout, no call uses a connection of HTTP/2 that has fallen silent. Only a new process makes
// the library's own HTTP client trust the test's certificate, through SSL_CERT_FILE.
func TestSilentConnection(t *testing.T) {
	if os.Getenv("TRUSTS") == "" {
		s := httptest.NewTLSServer(nil) // all test servers have the same certificate
		defer s.Close()
		file := filepath.Join(t.TempDir(), "certificate.pem")
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
			t.Fatal(err)
		}
		test := exec.Command(os.Args[0], "-test.run=^TestSilentConnection$")
		test.Env = append(os.Environ(), "TRUSTS=test", "SSL_CERT_FILE="+file)
		if output, err := test.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
		return
	}
	var versions []string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/connect/token" {
			_, _ = io.WriteString(w, `{"access_token":"token-0","token_type":"Bearer","expires_in":3600}`)
			return
		}
		versions = append(versions, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	relay, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer relay.Close()
	var accepted, silent atomic.Int64 // connections, and how many of them are silent
	go func() {
		for {
			from, err := relay.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				return
			}
			number := accepted.Add(1)
			for a, b := range map[net.Conn]net.Conn{from: to, to: from} {
				go pass(a, b, func() bool { return number <= silent.Load() })
			}
		}
	}()
	config := fullConfig
	config.AuthURL, config.BaseURL = "https://"+relay.Addr().String(), "https://"+relay.Addr().String()
	client := newClient(t, config)
	if _, err := client.ListJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	silent.Store(accepted.Load())
	_, err = client.ListJobs(t.Context(), rostering.WithCallTimeout(300*time.Millisecond))
	wantError(t, err, rostering.CodeNetworkError)
	if _, err := client.ListJobs(t.Context(), rostering.WithCallTimeout(10*time.Second)); err != nil {
		t.Error(err)
	}
	if got := strings.Join(versions, " "); got != "HTTP/2.0 HTTP/2.0" {
		t.Errorf("the service got requests of %s", got)
	}
}

// pass passes bytes on until the connection is silent.
func pass(from, to net.Conn, silent func() bool) {
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		if err != nil {
			_ = to.Close()
			return
		}
		if silent() {
			continue
		}
		_, _ = to.Write(b[:n])
	}
}

// Further clients share the compiled plugin.
func TestManyClients(t *testing.T) {
	newClient(t, fullConfig)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		newClient(t, fullConfig)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 100*400<<10 {
		t.Errorf("100 clients allocated %d bytes", after.TotalAlloc-before.TotalAlloc)
	}
}
