package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// server is a token endpoint and a service, which respond in a given time.
type server struct {
	*http.Server
	url string
	// Before the response of the service, before that of the token endpoint, and of a token.
	service, endpoint, lifetime time.Duration
	tokens                      atomic.Int64 // requested so far
}

func serve(s *server) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.url = "http://" + listener.Addr().String()
	s.Server = &http.Server{Handler: s}
	go func() {
		if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	}()
	return s, nil
}

func (s *server) close() { _ = s.Shutdown(context.Background()) }

// jobs is the body of the service's response, of about 1 KB.
var jobs = `{"jobs":[` + strings.Repeat(`{"id":"job-0001","status":"completed"},`, 25) + `{}]}`

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/connect/token" {
		s.tokens.Add(1)
		time.Sleep(s.endpoint)
		fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":%.0f}`, strings.Repeat("t", 900), s.lifetime.Seconds())
		return
	}
	if r.Header.Get("Authorization") == "" || r.Header.Get("CUSTOMER_ID") == "" || r.Header.Get("USER_ID") == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	time.Sleep(s.service)
	_, _ = io.WriteString(w, jobs)
}

// env is what a client reads from its environment.
func (s *server) env() []string {
	return []string{
		"ROSTERING_ENVIRONMENT=stage", "ROSTERING_AUTH_URL=" + s.url, "ROSTERING_BASE_URL=" + s.url,
		"ROSTERING_CLIENT_ID=client", "ROSTERING_CLIENT_SECRET=the-secret", "ROSTERING_CUSTOMER_ID=c", "ROSTERING_USER_ID=u",
	}
}
