// Package quiet has an HTTP transport that logs nothing. net/http would write what a server sends
// unasked, which may quote a token, and each unknown frame of HTTP/2, to package log.
package quiet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

// New returns a transport for HTTP/1.1, with the proxies of the environment.
func New() Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	secure := &tls.Dialer{NetDialer: dialer, Config: &tls.Config{NextProtos: []string{"http/1.1"}}}
	return Transport{&http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		OnProxyConnectResponse: connected,
		DialContext:            quiet(dialer.DialContext),
		DialTLSContext:         quiet(secured(secure.DialContext)),
		TLSHandshakeTimeout:    10 * time.Second, // through a proxy
		IdleConnTimeout:        90 * time.Second,
		// All requests go to two hosts, many at a time: the default of two idle
		// connections for each would open most of them again.
		MaxIdleConnsPerHost: 100,
	}}
}

// ProxyError is the status with which a proxy refused to connect.
type ProxyError struct{ Status int }

func (e ProxyError) Error() string {
	return fmt.Sprintf("the proxy responded with status %d", e.Status)
}

// connected returns an error without the proxy's words, which net/http would quote.
func connected(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
	if r.StatusCode != http.StatusOK {
		return ProxyError{r.StatusCode}
	}
	return nil
}

// HandshakeError is what ended a TLS handshake. Many of crypto/tls's errors have no type.
type HandshakeError struct{ error }

// Unwrap is for [errors.Is] and [errors.As].
func (e HandshakeError) Unwrap() error { return e.error }

// secured returns a function that dials, whose errors after that are those of the handshake.
func secured(dial dial) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if operation, ok := errors.AsType[*net.OpError](err); err != nil && (!ok || operation.Op != "dial") {
			return nil, HandshakeError{err}
		}
		return c, err
	}
}

// Transport tells its connections when they have a request.
type Transport struct{ *http.Transport }

// RoundTrip implements [http.RoundTripper].
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var c *conn
	var turn int64
	return t.Transport.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			if over, ok := got.Conn.(*tls.Conn); ok { // through a proxy
				got.Conn = over.NetConn()
			}
			c = got.Conn.(*conn)
			turn = c.begin()
		},
		PutIdleConn: func(error) {
			if c.end(turn) {
				t.CloseIdleConnections() // before net/http looks at what is left
			}
		},
	})))
}

// conn is a connection that ends when the server sends something while no request is in
// progress. It keeps the last byte that it has read until more is wanted: if it still has one when
// a request ends, the server has sent more than the response.
type conn struct {
	net.Conn
	turn atomic.Int64 // odd while no request is in progress
	kept atomic.Int32 // the last byte, and 256; or 0
}

type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// quiet returns a function that dials quiet connections.
func quiet(dial dial) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		q := &conn{Conn: c}
		q.turn.Store(1)
		return q, nil
	}
}

// begin begins a request, of which it returns the turn.
func (c *conn) begin() int64 {
	for {
		old := c.turn.Load()
		if next := old + 2 - old&1; c.turn.CompareAndSwap(old, next) {
			return next
		}
	}
}

// end ends a request, unless the next one has begun. It reports whether there is more than the
// response.
func (c *conn) end(turn int64) bool {
	c.turn.CompareAndSwap(turn, turn+1)
	return c.kept.Load() != 0
}

// Write begins what comes before the first request, such as a handshake through a proxy.
func (c *conn) Write(p []byte) (int, error) {
	c.turn.CompareAndSwap(1, 2)
	return c.Conn.Write(p)
}

func (c *conn) Read(p []byte) (n int, err error) {
	if kept := c.kept.Swap(0); kept != 0 {
		p[0] = byte(kept)
		return 1, nil
	}
	n, err = c.Conn.Read(p)
	switch {
	case n > 0 && c.turn.Load()&1 == 1:
		return 0, io.EOF
	case n > 1: // an error returns at the next read
		n--
		c.kept.Store(256 | int32(p[n]))
		return n, nil
	}
	return n, err
}
