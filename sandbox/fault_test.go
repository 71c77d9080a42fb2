package sandbox

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"
)

func setFault(t *testing.T, s *Sandbox, server string, f Fault) {
	t.Helper()
	if err := s.SetFault(server, f); err != nil {
		t.Fatal(err)
	}
}

// targets returns functions that create a valid request to each server.
func targets(t *testing.T, s *Sandbox) map[string]func() *http.Request {
	t.Helper()
	token := newToken(t, s)
	return map[string]func() *http.Request{
		AuthServer: func() *http.Request { return tokenRequest(t, s, form(s, Stage)) },
		JobsServer: func() *http.Request { return jobsRequest(t, s, token) },
	}
}

func TestStatusFault(t *testing.T) {
	s := start(t, Config{})
	for server, request := range targets(t, s) {
		t.Run(server, func(t *testing.T) {
			setFault(t, s, server, Fault{Status: 503, Headers: map[string]string{"Retry-After": "7"}, Body: "<p>busy</p>", Requests: 2})
			for range 2 {
				a := do(t, request())
				a.want(t, http.StatusServiceUnavailable)
				if a.header.Get("Retry-After") != "7" || a.body != "<p>busy</p>" {
					t.Errorf("Retry-After %q, body %q", a.header.Get("Retry-After"), a.body)
				}
			}
			do(t, request()).want(t, http.StatusOK)
		})
	}
}

func TestStatusFaultWithoutABody(t *testing.T) {
	s := start(t, Config{})
	request := targets(t, s)[JobsServer]
	setFault(t, s, JobsServer, Fault{Status: 500})
	for range 3 {
		a := do(t, request())
		a.want(t, http.StatusInternalServerError)
		wantProblem(t, a, "sandbox_fault", "switched on")
		if _, ok := a.header["Retry-After"]; ok {
			t.Error("there is a Retry-After")
		}
	}
	s.ClearFaults()
	do(t, request()).want(t, http.StatusOK)

	setFault(t, s, JobsServer, Fault{Status: 204})
	a := do(t, request())
	a.want(t, http.StatusNoContent)
	if a.body != "" {
		t.Errorf("body %q", a.body)
	}
}

func TestStatusFaultWithJSON(t *testing.T) {
	s := start(t, Config{})
	setFault(t, s, AuthServer, Fault{Status: 400, Body: `{"error":"temporarily_unavailable"}`})
	a := do(t, tokenRequest(t, s, form(s, Stage)))
	a.want(t, http.StatusBadRequest)
	if got := a.code(t); got != "temporarily_unavailable" {
		t.Errorf("error %q", got)
	}
}

func TestCutOff(t *testing.T) {
	s := start(t, Config{})
	for server, request := range targets(t, s) {
		t.Run(server, func(t *testing.T) {
			setFault(t, s, server, Fault{CutOff: true, Delay: time.Millisecond, Requests: 1})
			if a, err := try(request()); !errors.Is(err, io.EOF) {
				t.Errorf("status %d, error %v", a.status, err)
			}
			do(t, request()).want(t, http.StatusOK)
		})
	}
}

func TestDelay(t *testing.T) {
	s := start(t, Config{})
	for server, request := range targets(t, s) {
		t.Run(server, func(t *testing.T) {
			setFault(t, s, server, Fault{Delay: maxDelay, Requests: 1})
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if a, err := try(request().WithContext(ctx)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("status %d, error %v", a.status, err)
			}
			setFault(t, s, server, Fault{Delay: time.Millisecond, Requests: 1})
			do(t, request()).want(t, http.StatusOK)
			setFault(t, s, server, Fault{Delay: time.Millisecond, Status: 502, Requests: 1})
			do(t, request()).want(t, http.StatusBadGateway)
			do(t, request()).want(t, http.StatusOK)
		})
	}
}

func TestFaultHitsExactlyItsRequests(t *testing.T) {
	s := start(t, Config{})
	request := targets(t, s)[JobsServer]
	setFault(t, s, JobsServer, Fault{Status: 500, Requests: 3})
	hit := 0
	for a := range tryAll(10, request) {
		if a.status == http.StatusInternalServerError {
			hit++
		}
	}
	if hit != 3 {
		t.Errorf("%d requests were affected", hit)
	}
}

// A fault of the token endpoint must not affect the jobs service, which fetches keys there.
func TestFaultsStayWhereTheyAre(t *testing.T) {
	s := start(t, Config{})
	token := newToken(t, s)
	setFault(t, s, AuthServer, Fault{Status: 500})
	getJobs(t, s, token).want(t, http.StatusOK)

	setFault(t, s, JobsServer, Fault{Status: 500})
	s.ClearFaults()
	setFault(t, s, JobsServer, Fault{CutOff: true})
	newToken(t, s)
}

func TestSetFaultRefuses(t *testing.T) {
	s := start(t, Config{})
	for name, f := range map[string]Fault{
		"nothing":              {},
		"only a number":        {Requests: 1},
		"informational status": {Status: 100},
		"large status":         {Status: 600},
		"negative status":      {Status: -1},
		"status and cut-off":   {Status: 500, CutOff: true},
		"body of a cut-off":    {CutOff: true, Body: "x"},
		"headers of a delay":   {Delay: 1, Headers: map[string]string{"Retry-After": "1"}},
		"two lines":            {Status: 500, Headers: map[string]string{"Retry-After": "1\r\nX: y"}},
		"no name of a header":  {Status: 500, Headers: map[string]string{"": "1"}},
		"delay and hold":       {Delay: 1, Hold: true},
		"body of no content":   {Status: 204, Body: "x"},
		"negative delay":       {Delay: -1},
		"long delay":           {Delay: maxDelay + 1},
		"negative requests":    {Status: 500, Requests: -1},
	} {
		if s.SetFault(JobsServer, f) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if s.SetFault("control", Fault{Status: 500}) == nil {
		t.Error("an unknown server was accepted")
	}
	newToken(t, s)
}
