package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"time"

	"automatic-rostering.example/rostering/sdk/go"
)

// proxy is the command proxy.
type proxy struct {
	Listen      string `default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Host and port, or unix:PATH (default: ${default})."`
	Status      string `placeholder:"ADDRESS" help:"Serve GET /-/status and /-/metrics there, without a secret."`
	AllowRemote bool   `help:"Listen beyond loopback: anyone who can connect can use your credentials."`
}

const (
	// replayable is how long a body may be that is kept, so that it can be sent again after a 401.
	replayable = 1 << 20
	// graceful is how long requests may take when the proxy ends.
	graceful = 10 * time.Second
)

func (p *proxy) Run(s *session) error {
	client, config, err := s.connect()
	if err != nil {
		return err
	}
	defer client.Close()
	handler, err := p.handler(s, client, config)
	if err != nil {
		return err
	}
	listener, err := listen(p.Listen, p.AllowRemote)
	if err != nil {
		return err
	}
	ended := make(chan error, 2)
	serve := func(l net.Listener, h http.Handler) *http.Server {
		server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
		go func() { ended <- server.Serve(l) }()
		return server
	}
	servers := []*http.Server{serve(listener, p.guard(handler))}
	fmt.Fprintf(s.stderr, "rostering: listening on %s for %s\n", listener.Addr(), config.BaseURL)
	if p.Status != "" {
		if listener, err = listen(p.Status, true); err != nil {
			return errors.Join(err, servers[0].Close())
		}
		servers = append(servers, serve(listener, statusHandler(client)))
		fmt.Fprintf(s.stderr, "rostering: status on %s\n", listener.Addr())
	}
	select {
	case err = <-ended:
		return err
	case <-s.ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), graceful)
	defer cancel()
	for _, server := range servers {
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
	}
	return nil
}

// listen listens on loopback, or a Unix domain socket, unless more is allowed.
func listen(address string, remote bool) (net.Listener, error) {
	network, at := "tcp", address
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		if path == "" {
			return nil, usage("%s has no path: the form is unix:PATH", address)
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			if c, err := net.Dial("unix", path); err == nil {
				_ = c.Close()
				return nil, usage("%s: another process listens there", address)
			}
			_ = os.Remove(path) // of a process that has died
		}
		network, at = "unix", path
	} else if host, _, err := net.SplitHostPort(address); err != nil {
		return nil, usage("the address must be HOST:PORT or unix:PATH: %w", err)
	} else if !remote && !isLoopback(host) {
		return nil, usage("%s is beyond loopback: anyone who can connect could use your credentials; "+
			"--allow-remote allows that", address)
	}
	listener, err := net.Listen(network, at)
	if err != nil {
		return nil, usageError{err}
	}
	return listener, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// guard rejects requests of web pages whose name resolves to this machine (DNS rebinding).
func (p *proxy) guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !p.AllowRemote && !strings.HasPrefix(p.Listen, "unix:") && !isLoopback(host) {
			fail(w, http.StatusMisdirectedRequest, "the Host of a request must be that of loopback")
			return
		}
		h.ServeHTTP(w, r)
	})
}

// handler returns the reverse proxy.
func (p *proxy) handler(s *session, client *rostering.Client, config rostering.Config) (http.Handler, error) {
	transport, err := rostering.NewTransport(client, unchanged())
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(config.BaseURL)
	if err != nil {
		return nil, err
	}
	reverse := &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(base)
			r.Out.URL.RawQuery = r.In.URL.RawQuery // unchanged, even if it is no form
			for name := range r.Out.Header {
				if isOurs(name) {
					delete(r.Out.Header, name)
				}
			}
			addIDs(r.Out.Header, config)
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				// As http.Client's, so that the exit status for it says whether a retry may help.
				respondFailed(s, w, &url.Error{Op: r.Method, URL: r.URL.Path, Err: err})
			}
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := checkPath(r.URL.EscapedPath()); err != nil {
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		// A service may respond while the body still arrives. An error means HTTP/2, which can.
		_ = http.NewResponseController(w).EnableFullDuplex()
		if err := keepBody(r); err != nil {
			panic(http.ErrAbortHandler) // the client has left: no status
		}
		reverse.ServeHTTP(w, r)
	}), nil
}

// keepBody keeps a short body, so that the request can be sent again. Longer ones are streamed.
func keepBody(r *http.Request) error {
	if r.ContentLength <= 0 || r.ContentLength > replayable {
		return nil
	}
	content, err := io.ReadAll(r.Body)
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	r.Body, _ = r.GetBody()
	return err
}

// respondFailed responds to a request to which the service did not.
func respondFailed(s *session, w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	if statusOf(err) == statusRetry {
		status = http.StatusServiceUnavailable
	}
	if e, ours := errors.AsType[*rostering.Error](err); ours {
		err = e
		if e.RetryAfter > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(int64(e.RetryAfter/time.Second)))
		}
	}
	fmt.Fprintln(s.stderr, "rostering:", err)
	fail(w, status, err.Error())
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message, "from": "rostering proxy"})
}

// statusHandler serves what the client knows, for people and for Prometheus.
func statusHandler(client *rostering.Client) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /-/status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(client.Status())
	})
	mux.HandleFunc("GET /-/metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		s := client.Status()
		for _, m := range []struct {
			name  string
			value int64
		}{
			{"service_requests_total", s.ServiceRequests}, {"token_requests_total", s.TokenRequests},
			{"failed_token_requests_total", s.FailedTokenRequests}, {"refused_tokens_total", s.RefusedTokens},
			{"store_failures_total", s.StoreFailures},
		} {
			fmt.Fprintf(w, "# TYPE rostering_%[1]s counter\nrostering_%[1]s %[2]d\n", m.name, m.value)
		}
		fmt.Fprintf(w, "# TYPE rostering_token_expires_at gauge\nrostering_token_expires_at %d\n", s.TokenExpiresAt)
	})
	return mux
}
