package world

import (
	"net"
	"sync/atomic"

	"automatic-rostering.example/sandbox"
)

// NewTLS starts the servers with TLS, and with HTTP/2 for those who want to. It returns the file with their certificate authority.
func NewTLS(folder string) (w *World, authority string, err error) {
	authority, certificate, err := sandbox.Certificate(folder, "127.0.0.1")
	if err != nil {
		return nil, "", err
	}
	return start(certificate), authority, nil
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
