package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	readHeaderTimeout = 5 * time.Second
	idleTimeout       = time.Minute
)

// server is an HTTP server on its own port.
type server struct {
	listener net.Listener
	http     *http.Server
	served   chan error     // what Serve returned
	conns    sync.WaitGroup // the goroutines of connections
}

// listen opens a port without serving it yet, so that the servers know each other's URLs before the
// first request arrives.
func listen(host string, port int) (*server, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	return &server{listener: l, served: make(chan error, 1)}, nil
}

func (s *server) url() string { return "http://" + s.listener.Addr().String() }

func (s *server) serve(h http.Handler, log *slog.Logger) {
	s.http = &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		ConnState:         s.track,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelError),
	}
	go func() { s.served <- s.http.Serve(s.listener) }()
}

// track counts the connections. http.Server.Close does not wait for handlers, but the server reports
// each connection that has ended.
func (s *server) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// close waits for requests until ctx ends, then closes the remaining connections, and waits for their
// goroutines.
func (s *server) close(ctx context.Context) error {
	if s.http == nil {
		return s.listener.Close()
	}
	var err error
	if s.http.Shutdown(ctx) != nil {
		err = s.http.Close()
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	s.conns.Wait()
	return err
}
