package runner

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
)

// A connection that falls silent, as one does whose peer is gone, fails the calls that use it when they
// time out, and no later one, of the same client or another. The server speaks HTTP/2 to those who want to,
// which otherwise send all requests through that connection.
func TestSilentConnection(t *testing.T) {
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		if h.Name == "workerd" { // takes no certificate authorities
			return
		}
		s := startSilent(t)
		host, err := h.Process(t.Context(), os.Stderr, s.trust(t, h)...)
		if err != nil {
			t.Fatal(err)
		}
		defer host.Close()
		open := func(client string) {
			made, err := host.Do(protocol.Request{Op: "open", Client: client, Config: s.config()})
			if err != nil || made.Trap+made.Error != "" {
				t.Fatalf("no client: %s%s, %v", made.Trap, made.Error, err)
			}
		}
		list := func(client, limit string) protocol.Response {
			a, err := host.Do(protocol.Request{Op: "list_jobs", Client: client, Call: protocol.Call{Timeout: []byte(limit)}})
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		open("first")
		if a := list("first", "30"); a.Status != 200 {
			t.Fatalf("a call ends with %s%s", a.Text, a.Trap)
		}
		s.silence()
		if a := list("first", "1.5"); !strings.Contains(a.Error, `"network_error"`) {
			t.Fatalf("a call through a silent connection ends with %+v", a)
		}
		open("second")
		for _, client := range []string{"first", "second", "first"} {
			if a := list(client, "10"); a.Status != 200 {
				t.Errorf("a later call of the %s client ends with %s%s", client, a.Text, a.Trap)
			}
		}
	})
}

// silent is a token endpoint and a service, whose connections can fall silent.
type silent struct {
	net.Listener
	authority string // the file with its certificate authority
	mutex     sync.Mutex
	all       []*connection
}

// connection is one of the server's.
type connection struct {
	net.Conn
	silent atomic.Bool
}

func startSilent(t *testing.T) *silent {
	s := &silent{authority: filepath.Join(t.TempDir(), "ca.pem")}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := `{"jobs":[]}`
		if r.URL.Path == "/connect/token" {
			body = `{"access_token":"token-0001","token_type":"Bearer","expires_in":3600}`
		}
		_, _ = w.Write([]byte(body))
	}))
	s.Listener, server.Listener = server.Listener, s
	authority, certificate := certify(t)
	if err := os.WriteFile(s.authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority}), 0o600); err != nil {
		t.Fatal(err)
	}
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return s
}

// certify returns a certificate authority, and a server's certificate that it signs: rustls takes none that is its own authority.
func certify(t *testing.T) (authority []byte, server tls.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	authority, err2 := x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key)
	signed, err3 := x509.CreateCertificate(rand.Reader, leaf, ca, key.Public(), key)
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	return authority, tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}
}

func (s *silent) Accept() (net.Conn, error) {
	accepted, err := s.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: accepted}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.all = append(s.all, c)
	return c, nil
}

// silence has the connections that are open neither respond nor close any more.
func (s *silent) silence() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, c := range s.all {
		c.silent.Store(true)
	}
}

func (c *connection) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if err != nil || !c.silent.Load() {
			return n, err
		}
	}
}

func (c *connection) Write(b []byte) (int, error) {
	if c.silent.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// config is that of a client of the server.
func (s *silent) config() map[string]string {
	origin := "https://" + s.Addr().String()
	return map[string]string{
		"environment": "stage", "auth_url": origin, "base_url": origin, "client_id": "client-1", "client_secret": rule.Secret,
		"customer_id": "customer-1", "user_id": "user-1",
	}
}

// trust returns variables with which a library trusts the server: see docs/operations.md.
func (s *silent) trust(t *testing.T, h hosts.Host) []string {
	if h.Language != "java" {
		return []string{"SSL_CERT_FILE=" + s.authority, "NODE_EXTRA_CA_CERTS=" + s.authority, "DENO_CERT=" + s.authority}
	}
	store := s.authority + ".p12"
	keytool := exec.Command("keytool", "-importcert", "-noprompt", "-file", s.authority, "-keystore", store, "-storepass", "changeit")
	if out, err := keytool.CombinedOutput(); err != nil {
		t.Fatalf("keytool: %v\n%s", err, out)
	}
	return []string{"JDK_JAVA_OPTIONS=-Djavax.net.ssl.trustStore=" + store + " -Djavax.net.ssl.trustStorePassword=changeit"}
}
