package sandbox

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"
)

// maxBody is far more than any request to the sandbox needs.
const maxBody = 1 << 20

// watched adds the requests to a server that count to the journal and the timeline as they
// arrive, and applies faults to them.
func (s *Sandbox) watched(server string, counts func(*http.Request) bool, next http.Handler) http.Handler {
	faulty := s.timeline.shown(server, s.faults[server].wrap(next))
	return buffered(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !counts(r) {
			next.ServeHTTP(w, r)
			return
		}
		s.journal.add(newRequestRecord(server, r, bodyOf(r)))
		faulty.ServeHTTP(w, r)
	}))
}

// isTokenRequest reports whether a request to the provider counts. Requests for the keys do not,
// so that a fault of the provider does not spread to the jobs service.
func isTokenRequest(r *http.Request) bool { return r.URL.Path == tokenPath }

func anyRequest(*http.Request) bool { return true }

// buffered reads the body first. Only then does net/http notice that a client disconnected,
// which must end a delay.
func buffered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			writeProblem(w, http.StatusBadRequest, "invalid_request", "the body is too large or could not be read")
			return
		}
		r.Body = &bufferedBody{bytes.NewReader(body), body}
		next.ServeHTTP(w, r)
	})
}

// bufferedBody is a body that can be read, and inspected as a whole.
type bufferedBody struct {
	*bytes.Reader
	all []byte
}

// Close implements io.Closer.
func (*bufferedBody) Close() error { return nil }

// bodyOf returns the whole body of a request that went through buffered.
func bodyOf(r *http.Request) []byte { return r.Body.(*bufferedBody).all }

// logged logs each request. Of methods and paths it logs only known ones, because a client could
// have put a token there by mistake.
func logged(log *slog.Logger, server string, paths []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w}
		defer func() {
			log.Info("request",
				"server", server,
				"method", known(r.Method, methods),
				"path", known(r.URL.Path, paths),
				"status", rec.outcome(),
				"duration", time.Since(start))
		}()
		next.ServeHTTP(rec, r)
	})
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
	http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

func known(s string, all []string) string {
	if slices.Contains(all, s) {
		return s
	}
	return "(unknown)"
}

// recorder records the status of a response.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) outcome() any {
	if r.status == 0 {
		return "cut off"
	}
	return r.status
}
