package sandbox

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// maxWait bounds a wait for requests.
const maxWait = 30 * time.Second

// none is the body of requests without parameters.
type none struct{}

type oneFault struct {
	Server string `json:"server"`
	Path   string `json:"path"`
}

type lifetime struct {
	Seconds int64 `json:"seconds"`
}

// controlHandler returns the handler of the controls. Pages of other sites cannot use it.
func (s *Sandbox) controlHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /faults", action(func(_ context.Context, f Fault) (any, error) { return nil, s.SetFault(f.Server, f) }))
	mux.HandleFunc("DELETE /faults", action(func(_ context.Context, f oneFault) (any, error) {
		if f == (oneFault{}) {
			s.ClearFaults()
			return nil, nil
		}
		return nil, s.ClearFault(f.Server, f.Path)
	}))
	mux.HandleFunc("POST /reset", action(func(context.Context, none) (any, error) { s.Reset(); return nil, nil }))
	mux.HandleFunc("POST /revoke", action(func(context.Context, none) (any, error) { s.Revoke(); return nil, nil }))
	mux.HandleFunc("POST /rotate", action(func(context.Context, none) (any, error) { return s.Rotate(), nil }))
	mux.HandleFunc("POST /lifetime", action(func(_ context.Context, l lifetime) (any, error) {
		seconds := max(0, min(l.Seconds, 1+int64(maxLifetime/time.Second))) // others would overflow
		return nil, s.SetLifetime(time.Duration(seconds) * time.Second)
	}))
	mux.HandleFunc("GET /counts", action(func(context.Context, none) (any, error) { return s.Counts(), nil }))
	mux.HandleFunc("GET /requests", action(func(context.Context, none) (any, error) { return s.Requests(), nil }))
	mux.HandleFunc("POST /wait", action(s.waitFor))
	mux.HandleFunc("GET /events", s.serveEvents)
	mux.HandleFunc("GET /{$}", servePage)
	return s.ownHost(http.NewCrossOriginProtection().Handler(mux))
}

// ownHost rejects a request to another host, unless the sandbox listens beyond loopback: a page of another site, whose
// name leads to this machine, would be of the same origin.
func (s *Sandbox) ownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]")
		}
		if isLoopback(s.control.host) && !isLoopback(host) && host != s.control.host {
			writeJSON(w, http.StatusMisdirectedRequest, map[string]string{"error": "the header Host must be that of the controls' URL"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// action returns a handler that decodes a JSON body, and responds with what act returns: nil is no content.
func action[T any](act func(context.Context, T) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var parameters T
		err := decodeStrictly(http.MaxBytesReader(w, r.Body, maxBody), &parameters)
		var found any
		if err == nil {
			found, err = act(r.Context(), parameters)
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			writeJSON(w, http.StatusGatewayTimeout, map[string]string{"error": err.Error()})
		case err != nil:
			writeJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		case found == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			writeJSON(w, http.StatusOK, found)
		}
	}
}

func (s *Sandbox) waitFor(ctx context.Context, least Counts) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	counts, err := s.Wait(ctx, least)
	if err != nil {
		return nil, fmt.Errorf("fewer requests arrived: %+v: %w", counts, err)
	}
	return counts, nil
}

// decodeStrictly decodes one JSON value and refuses unknown fields. An empty body is an empty object, for requests
// without parameters.
func decodeStrictly(r io.Reader, v any) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("the body is not the expected JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the JSON value")
	}
	return nil
}

//go:embed page.html
var page []byte

// servePage serves the page, which sends requests to this server alone.
func servePage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'none'")
	_, _ = w.Write(page)
}

// state is what the page shows in addition to the journal.
type state struct {
	Tokens []issuedToken `json:"tokens"`
	Faults []Fault       `json:"faults"`
}

// serveEvents sends the journal and then its changes, as server-sent events.
func (s *Sandbox) serveEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	send := func(event string, v any) error {
		b, err := json.Marshal(v)
		if err == nil {
			_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, b)
		}
		return err
	}
	for seen := 0; ; {
		entries, now, changed := s.journal.since(seen)
		seen = now
		for _, e := range entries {
			if send("entry", e) != nil {
				return
			}
		}
		if send("state", state{s.provider.ledger.valid(), s.faults.list()}) != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		case <-s.closing:
			return
		}
	}
}
