package world

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
	"os"
	"sync/atomic"
	"time"
)

// NewTLS starts the servers with TLS, and with HTTP/2 for those who want to. It writes their certificate authority to a file. Their
// own certificate is another, as rustls takes none that is its own authority.
func NewTLS(authority string) (*World, error) {
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
	root, err2 := x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key)
	signed, err3 := x509.CreateCertificate(rand.Reader, leaf, ca, key.Public(), key)
	err4 := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root}), 0o600)
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return nil, err
	}
	return start(&tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{signed}, PrivateKey: key}}}), nil
}

// Silence has the connections that are open neither respond nor close any more.
func (s *Server) Silence() {
	s.set(func() {
		for _, c := range s.connections {
			c.silent.Store(true)
		}
	})
}

// listener keeps the connections of a server.
type listener struct {
	net.Listener
	server *Server
}

func (l listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	c := &connection{Conn: accepted}
	l.server.set(func() { l.server.connections = append(l.server.connections, c) })
	return c, err
}

type connection struct {
	net.Conn
	silent atomic.Bool
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
