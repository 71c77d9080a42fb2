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

// server is one HTTP server on a port of its own.
type server struct {
	listener net.Listener
	http     *http.Server
	served   chan error     // what Serve returned
	conns    sync.WaitGroup // the goroutines of connections
}

// listen takes a port without answering on it yet, so that the servers can
// know each other's addresses before the first request comes.
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

// track counts the connections. net/http waits for no handler when it closes
// hard, but it reports each connection that has ended.
func (s *server) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// close lets requests finish until ctx is done, then closes the connections
// that are left, and waits until their goroutines have ended.
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
