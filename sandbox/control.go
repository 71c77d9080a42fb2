package sandbox

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	pagePath     = "/"
	eventsPath   = "/events"
	faultsPath   = "/faults"
	revokePath   = "/revoke"
	rotatePath   = "/rotate"
	lifetimePath = "/lifetime"
	countsPath   = "/counts"
	requestsPath = "/requests"
	waitPath     = "/wait"
)

// maxWait bounds a wait for requests.
const maxWait = 30 * time.Second

// faultRequest is the body of POST /faults. A body that is not UTF-8 needs base64.
type faultRequest struct {
	Server string `json:"server"`
	Base64 []byte `json:"body_base64"`
	Fault
}

type lifetimeRequest struct {
	Seconds int64 `json:"seconds"`
}

// controlHandler returns the handler of the control API. An http.ServeMux would report unknown paths and
// methods in plain text. Pages of other sites cannot use it.
func (s *Sandbox) controlHandler() http.Handler {
	routes := map[string]map[string]http.HandlerFunc{
		faultsPath: {
			http.MethodPost:   switched(s, "fault", s.setFault),
			http.MethodDelete: switched(s, "faults end", action(s.ClearFaults)),
		},
		revokePath:   {http.MethodPost: switched(s, "all tokens revoked", action(s.Revoke))},
		rotatePath:   {http.MethodPost: switched(s, "secrets rotated", action(s.Rotate))},
		lifetimePath: {http.MethodPost: switched(s, "lifetime of new tokens", s.setLifetime)},
		countsPath:   {http.MethodGet: func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.Counts()) }},
		requestsPath: {http.MethodGet: func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.Requests()) }},
		waitPath:     {http.MethodPost: s.serveWait},
		pagePath:     {http.MethodGet: servePage},
		eventsPath:   {http.MethodGet: s.serveEvents},
	}
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ok := routes[r.URL.Path]
		if !ok {
			writeControlProblem(w, http.StatusNotFound, errors.New("the control API has no such path"))
			return
		}
		handle, ok := path[r.Method]
		if !ok {
			w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(path)), ", "))
			writeControlProblem(w, http.StatusMethodNotAllowed, errors.New("this path does not take this method"))
			return
		}
		handle(w, r)
	}))
}

// switched returns a handler that decodes a JSON body, runs an action on it, and adds it to the journal.
func switched[T any](s *Sandbox, what string, act func(T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body T
		err := decodeStrictly(r.Body, &body)
		if err == nil {
			err = act(body)
		}
		if err != nil {
			writeControlProblem(w, http.StatusBadRequest, err)
			return
		}
		s.journal.add(&entry{Switch: what})
		w.WriteHeader(http.StatusNoContent)
	}
}

// action is an action without parameters.
func action(act func()) func(struct{}) error {
	return func(struct{}) error { act(); return nil }
}

func (s *Sandbox) serveWait(w http.ResponseWriter, r *http.Request) {
	var least Counts
	if err := decodeStrictly(r.Body, &least); err != nil {
		writeControlProblem(w, http.StatusBadRequest, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	counts, err := s.Wait(ctx, least)
	if err != nil {
		writeControlProblem(w, http.StatusGatewayTimeout, fmt.Errorf("fewer requests arrived: %+v", counts))
		return
	}
	writeJSON(w, http.StatusOK, counts)
}

func (s *Sandbox) setFault(r faultRequest) error {
	if r.Body != "" && len(r.Base64) > 0 {
		return errors.New("a fault has either body or body_base64")
	}
	r.Body += string(r.Base64)
	return s.SetFault(r.Server, r.Fault)
}

func (s *Sandbox) setLifetime(r lifetimeRequest) error {
	if most := int64(maxLifetime / time.Second); r.Seconds < 1 || r.Seconds > most {
		return fmt.Errorf("seconds is not between 1 and %d", most)
	}
	return s.SetLifetime(time.Duration(r.Seconds) * time.Second)
}

// decodeStrictly decodes one JSON value and refuses unknown fields. An empty body is an empty
// object, for the actions without parameters.
func decodeStrictly(r io.Reader, v any) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(b)) == 0 {
		b = []byte("{}")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("the body is not the expected JSON: %w", err)
	}
	if err := d.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the JSON value")
	}
	return nil
}

func writeControlProblem(w http.ResponseWriter, status int, err error) {
	writeJSON(w, status, map[string]string{"error": err.Error()})
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
	Tokens []issuedToken     `json:"tokens"`
	Faults map[string]string `json:"faults"` // by server
}

func (s *Sandbox) state() state {
	now := state{Tokens: s.provider.ledger.valid(), Faults: map[string]string{}}
	for server, i := range s.faults {
		if f := i.String(); f != "" {
			now.Faults[server] = f
		}
	}
	return now
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
		if send("state", s.state()) != nil || http.NewResponseController(w).Flush() != nil {
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
