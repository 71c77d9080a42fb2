package sandbox

import (
	"bytes"
	"context"
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
	faultsPath   = "/faults"
	revokePath   = "/revoke"
	lifetimePath = "/lifetime"
	countsPath   = "/counts"
	requestsPath = "/requests"
	waitPath     = "/wait"
)

// maxWait bounds a wait for requests.
const maxWait = 30 * time.Second

// faultRequest is a [Fault] in JSON. Durations are numbers with the unit in their names, for
// all languages.
type faultRequest struct {
	Server   string            `json:"server"`
	Status   int               `json:"status"`
	Headers  map[string]string `json:"headers"`
	Body     string            `json:"body"`
	Base64   []byte            `json:"body_base64"`
	DelayMS  int64             `json:"delay_ms"`
	Hold     bool              `json:"hold"`
	CutOff   bool              `json:"cut_off"`
	Requests int               `json:"requests"`
}

type lifetimeRequest struct {
	Seconds int64 `json:"seconds"`
}

// controls returns the handlers of the control API by path and method.
func controls(s *Sandbox) map[string]map[string]http.HandlerFunc {
	return map[string]map[string]http.HandlerFunc{
		faultsPath: {
			http.MethodPost:   s.switched("fault", control(s.setFault)),
			http.MethodDelete: s.switched("faults end", control(func(struct{}) error { s.ClearFaults(); return nil })),
		},
		revokePath:   {http.MethodPost: s.switched("all tokens revoked", control(func(struct{}) error { s.Revoke(); return nil }))},
		rotatePath:   {http.MethodPost: s.switched("secrets rotated", control(func(struct{}) error { s.Rotate(); return nil }))},
		pagePath:     {http.MethodGet: servePage},
		eventsPath:   {http.MethodGet: s.serveEvents},
		lifetimePath: {http.MethodPost: control(s.setLifetime)},
		countsPath: {http.MethodGet: func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, s.Counts())
		}},
		requestsPath: {http.MethodGet: func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, s.Requests())
		}},
		waitPath: {http.MethodPost: s.serveWait},
	}
}

// controlHandler returns the handler of the control API. An http.ServeMux would report unknown
// paths and methods in plain text.
func controlHandler(routes map[string]map[string]http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	})
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

// control returns a handler that decodes a JSON body and runs an action on it.
func control[T any](act func(T) error) http.HandlerFunc {
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
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Sandbox) setFault(r faultRequest) error {
	// Checked first, because it could overflow as a duration.
	if r.DelayMS < 0 || r.DelayMS > maxDelay.Milliseconds() {
		return fmt.Errorf("delay_ms is not between 0 and %d", maxDelay.Milliseconds())
	}
	if r.Body != "" && len(r.Base64) > 0 {
		return errors.New("a fault has either body or body_base64")
	}
	return s.SetFault(r.Server, Fault{
		Status:   r.Status,
		Headers:  r.Headers,
		Body:     r.Body + string(r.Base64),
		Delay:    time.Duration(r.DelayMS) * time.Millisecond,
		Hold:     r.Hold,
		CutOff:   r.CutOff,
		Requests: r.Requests,
	})
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
