package quiet

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
)

const someResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"

// What a server sends unasked, with a response or later, ends the connection, and is not logged,
// to which net/http would write it. A server that sends nothing more keeps its connection.
func TestUnaskedResponses(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	insecure := &tls.Config{InsecureSkipVerify: true}
	overTLS := &tls.Dialer{Config: insecure}
	for kind, transport := range map[string]http.RoundTripper{
		"http":            New(),
		"https":           Transport{&http.Transport{DialTLSContext: quiet(overTLS.DialContext)}},
		"https, by proxy": Transport{&http.Transport{DialContext: quiet(new(net.Dialer).DialContext), TLSClientConfig: insecure}},
	} {
		for more, connections := range map[string]int{"": 1, "x": 2, someResponse: 2} {
			for _, late := range []bool{false, true} {
				if kind == "https, by proxy" && !late {
					continue // net/http reads the TLS, and may see a response and more at once
				}
				s := newTalker(t, kind != "http", more, late)
				for range 2 {
					r, err := (&http.Client{Transport: transport}).Get(s.url)
					if err != nil {
						t.Fatalf("%s, %q: %v", kind, more, err)
					}
					if body, err := io.ReadAll(r.Body); string(body) != "[]" || err != nil {
						t.Errorf("%s, %q: the body is %q, %v", kind, more, body, err)
					}
					s.rest(more, late)
				}
				if s.accepted != connections {
					t.Errorf("%s, %q, late: %v: %d connections, want %d", kind, more, late, s.accepted, connections)
				}
			}
		}
	}
	if logged.Len() > 0 {
		t.Errorf("it logged %q", logged.String())
	}
}

// talker is a server that sends more than was requested, once on each connection: with the response, or
// when rest is called.
type talker struct {
	url      string
	accepted int
	late     chan string
	ended    chan bool
}

func newTalker(t *testing.T, secure bool, more string, late bool) *talker {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s := &talker{url: "http://" + listener.Addr().String(), late: make(chan string), ended: make(chan bool, 9)}
	if secure {
		template := httptest.NewTLSServer(nil)
		t.Cleanup(template.Close)
		listener, s.url = tls.NewListener(listener, template.TLS), "https"+s.url[len("http"):]
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			s.accepted++
			go func() {
				defer func() { s.ended <- true }()
				for in := bufio.NewReader(c); ; {
					if _, err := http.ReadRequest(in); err != nil {
						_ = c.Close()
						return
					}
					if late {
						_, _ = io.WriteString(c, someResponse)
						_, _ = io.WriteString(c, <-s.late)
					} else {
						_, _ = io.WriteString(c, someResponse+more)
					}
				}
			}()
		}
	}()
	return s
}

// rest has the server send the rest, and waits until its connection has ended.
func (s *talker) rest(more string, late bool) {
	if late {
		s.late <- more
	}
	if more != "" {
		<-s.ended
	}
}

// The error has none of the proxy's words, which may quote its password.
func TestProxyThatRefuses(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		_, _ = io.WriteString(c, "HTTP/1.1 407 the-password\r\n\r\n")
		_ = c.Close()
	}))
	defer proxy.Close()
	transport := New()
	transport.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	_, err := (&http.Client{Transport: transport}).Get("https://service.example")
	if err == nil || !strings.Contains(err.Error(), "status 407") || strings.Contains(err.Error(), "password") {
		t.Errorf("the error is %v", err)
	}
}

// Nothing else tells an error without a type from one of HTTP.
func TestHandshakeThatFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = c.Write([]byte("\x16\x03\x03\x00\x04\x14\x00\x00\x00")) // Finished, before anything else
		_, _ = io.Copy(io.Discard, c)
	}()
	_, err = (&http.Client{Transport: New()}).Get("https://" + listener.Addr().String())
	if _, ok := errors.AsType[HandshakeError](err); !ok {
		t.Errorf("the error is a %T, %v", errors.Unwrap(err), err)
	}
	listener.Close()
	_, err = (&http.Client{Transport: New()}).Get("https://" + listener.Addr().String())
	if _, ok := errors.AsType[HandshakeError](err); ok || err == nil {
		t.Errorf("without a listener, the error is %v", err)
	}
}
