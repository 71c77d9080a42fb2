package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	readHeaderTimeout = 5 * time.Second
	idleTimeout       = time.Minute
	// maxBody is far more than any request to the sandbox needs.
	maxBody = 1 << 20
)

// server is an HTTP server on its own port.
type server struct {
	listener net.Listener
	http     *http.Server
}

// listen opens a port without serving it yet, so that the servers know each other's URLs before the
// first request arrives.
func listen(host string, port int) (*server, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	return &server{listener: l}, nil
}

func (s *server) url() string { return "http://" + s.listener.Addr().String() }

func (s *server) serve(name string, h http.Handler, log *slog.Logger) {
	s.http = &http.Server{
		Handler:           received(name, h, log),
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelError),
	}
	go func() { _ = s.http.Serve(s.listener) }() // until close
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

// received reads the body of each request, records the response's status, and logs both. Only after the
// body is read does net/http notice that a client disconnected, which must end a delay.
func received(server string, next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		rec := &recorder{ResponseWriter: w}
		defer func() {
			log.Info("request", "server", server, "method", known(r.Method, methods), "path", known(r.URL.Path, paths),
				"status", rec.status, "duration", time.Since(began))
		}()
		body, err := io.ReadAll(http.MaxBytesReader(rec, r.Body, maxBody))
		if err != nil {
			writeProblem(rec, http.StatusBadRequest, "invalid_request", "the body is too large or could not be read")
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(rec, r)
	})
}

// The log and the page have only these methods and paths: a client could have put a token into others by
// mistake.
var (
	methods = []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
		http.MethodPatch, http.MethodDelete, http.MethodOptions,
	}
	paths = []string{
		tokenPath, jobsPath, pagePath, eventsPath, faultsPath, revokePath, rotatePath, lifetimePath, countsPath, requestsPath, waitPath,
	}
)

func known(s string, all []string) string {
	if slices.Contains(all, s) {
		return s
	}
	return "(unknown)"
}

// recorder records the status of a response, and the token in it.
type recorder struct {
	http.ResponseWriter
	status status
	token  string // its short hash
}

// status is that of a response, or 0 if the connection was cut off.
type status int

func (s status) String() string {
	if s == 0 {
		return "cut off"
	}
	return strconv.Itoa(int(s))
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(code int) {
	if r.status == 0 {
		r.status = status(code)
	}
	r.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	var response struct {
		AccessToken string `json:"access_token"`
	}
	if json.Unmarshal(b, &response) == nil && response.AccessToken != "" {
		r.token = shortHash(response.AccessToken)
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// madeUp is in every body of the jobs service: the real one is not known.
const madeUp = "made up: the real service's response is not known"

// problem is the body of an error.
type problem struct {
	Sandbox string `json:"sandbox"`
	Error   string `json:"error"`
	Message string `json:"message"`
}

// writeProblem responds with an error. The message must have nothing from the request, which could
// be a token or a secret.
func writeProblem(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, problem{Sandbox: madeUp, Error: code, Message: message})
}

// writeJSON responds with a JSON body. It ignores errors of writing, which mean that the client has
// disconnected.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
