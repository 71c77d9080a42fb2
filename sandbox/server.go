package sandbox

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// maxBody is far more than any request to the sandbox needs.
const maxBody = 1 << 20

// server is an HTTP server on its own port.
type server struct {
	host     string
	listener net.Listener
	tls      *tls.Config // nil for plain HTTP
	http     *http.Server
}

// listen opens a port without serving it yet, so that the servers know each other's URLs before the first request
// arrives.
func listen(host string, port int) (*server, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	return &server{host: host, listener: l}, nil
}

// url has the host that was given: the listener's address would be [::] for 0.0.0.0, and no certificate has that.
func (s *server) url() string {
	scheme := "http://"
	if s.tls != nil {
		scheme = "https://"
	}
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return scheme + net.JoinHostPort(s.host, port)
}

func (s *server) serve(h http.Handler, log *slog.Logger) {
	s.http = &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       time.Minute,
		TLSConfig:         s.tls,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelError),
	}
	go func() { // until close
		if s.tls == nil {
			_ = s.http.Serve(s.listener)
		} else {
			_ = s.http.ServeTLS(s.listener, "", "")
		}
	}()
}

// close waits for requests until ctx ends, and then closes the remaining connections.
func (s *server) close(ctx context.Context) error {
	if s.http == nil {
		return s.listener.Close()
	}
	if s.http.Shutdown(ctx) != nil {
		return s.http.Close()
	}
	return nil
}

// The log and the page show only such methods and paths: a client could have put a token into others by mistake.
var (
	methods = regexp.MustCompile(`^[A-Z]{3,7}$`)
	paths   = regexp.MustCompile(`^(/[a-z0-9._-]{0,36})+$`)
)

func shown(s string, pattern *regexp.Regexp) string {
	if pattern.MatchString(s) {
		return s
	}
	return "(hidden)"
}

// recorder records the status of a response, and the token in it.
type recorder struct {
	http.ResponseWriter
	status int    // -1 if the connection was cut off
	token  string // its short hash
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(code int) {
	r.status = code
	r.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == cutOff {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(b)
}

// madeUp is in every body of the jobs service: the real one is not known.
const madeUp = "made up: the real service's response is not known"

// writeProblem responds with an error. The message must have nothing from the request, which could be a token or a
// secret.
func writeProblem(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]string{"sandbox": madeUp, "error": code, "message": message})
}

// writeJSON responds with a JSON body. It ignores errors of writing, which mean that the client has disconnected.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// Certificate writes a new certificate authority to a folder, and returns its file, and a server's certificate for
// loopback and host. Both have one key, which is in memory alone.
func Certificate(folder, host string) (file string, config *tls.Config, err error) {
	names := []string{"localhost"}
	addresses := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if ip := net.ParseIP(host); ip != nil {
		addresses = append(addresses, ip)
	} else {
		names = append(names, host)
	}
	folder, err = filepath.Abs(folder)
	key, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err := errors.Join(err, err2); err != nil {
		return "", nil, err
	}
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "rostering-sandbox " + rand.Text()},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(365 * 24 * time.Hour), SubjectKeyId: []byte(rand.Text()),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "sandbox"}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: names, IPAddresses: addresses,
	}
	authority, err := x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key)
	certificate, err2 := x509.CreateCertificate(rand.Reader, leaf, ca, key.Public(), key)
	if err := errors.Join(err, err2, os.MkdirAll(folder, 0o755)); err != nil {
		return "", nil, err
	}
	file = filepath.Join(folder, "ca.pem")
	err = os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority}), 0o644)
	return file, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}, err
}
