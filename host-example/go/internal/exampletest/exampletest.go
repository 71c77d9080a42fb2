// Package exampletest is a service for the tests of the programs.
package exampletest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"automatic-rostering/host-example/go/environment"
)

// Service is an identity provider and a service, which lists the jobs [1].
type Service struct {
	TokenRequests atomic.Int64
	Env           map[string]string // for a program that calls it
}

// Serve starts a service until the end of the test. A nil token answers token requests
// well. The plugin must have been built.
func Serve(t *testing.T, token http.HandlerFunc) *Service {
	t.Helper()
	if _, err := environment.Wasm(func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	s := new(Service)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /connect/token", func(w http.ResponseWriter, r *http.Request) {
		n := s.TokenRequests.Add(1)
		if token != nil {
			token(w, r)
			return
		}
		_, _ = fmt.Fprintf(w, `{"access_token":"access-token-%d","expires_in":3600,"token_type":"Bearer"}`, n)
	})
	mux.HandleFunc("GET /jobs", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[1]") })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.Env = map[string]string{
		"ROSTERING_AUTH_URL":      server.URL,
		"ROSTERING_BASE_URL":      server.URL,
		"ROSTERING_ENVIRONMENT":   "stage",
		"ROSTERING_CLIENT_ID":     "client",
		"ROSTERING_CLIENT_SECRET": "the-secret",
		"ROSTERING_CUSTOMER_ID":   "customer",
		"ROSTERING_USER_ID":       "user",
	}
	return s
}

// Getenv reads Env.
func (s *Service) Getenv(name string) string { return s.Env[name] }
