package sandbox

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// syncBuffer can be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// misplaced returns requests that have a secret everywhere but where it belongs.
func misplaced(t *testing.T, s *Sandbox, secret string) []*http.Request {
	t.Helper()
	var all []*http.Request
	for _, base := range []string{s.AuthURL() + "/connect/token", s.BaseURL() + "/jobs", s.ControlURL() + "/revoke"} {
		for _, method := range []string{http.MethodGet, http.MethodPost, "X" + tail(secret)} {
			all = append(all,
				newRequest(t, method, base+"?token="+secret, secret),
				newRequest(t, method, base+"/"+secret, ""))
		}
		r := newRequest(t, http.MethodGet, base, "")
		r.Header.Set("Authorization", secret)
		all = append(all, r)
	}
	all = append(all, jobsRequest(t, s, secret), jobsRequest(t, s, secret+"x"), jobsRequest(t, s, "x"+secret))
	f := form(s, Stage)
	for _, field := range []string{"scope", "client_id", "client_secret"} {
		changed := form(s, Stage)
		changed.Set(field, secret+"x")
		all = append(all, tokenRequest(t, s, changed))
	}
	f.Set("scope", "wrong")
	return append(all, tokenRequest(t, s, f))
}

// tail returns the end of a secret, which can be a method.
func tail(secret string) string { return secret[len(secret)-8:] }

func TestNothingLeaks(t *testing.T) {
	var log syncBuffer
	s := start(t, Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	token := newToken(t, s)
	s.Revoke()
	_, stage := s.Client(Stage)
	_, production := s.Client(Production)
	private := []string{token, stage, production}
	for _, secret := range private {
		for _, r := range misplaced(t, s, secret) {
			a := do(t, r)
			if a.status < http.StatusBadRequest {
				t.Errorf("%s %s: status %d", r.Method, r.URL.Path, a.status)
			}
			for _, p := range private {
				if strings.Contains(a.body, tail(p)) {
					t.Errorf("%s %s: the error body has a secret: %s", r.Method, r.URL.Path, a.body)
				}
			}
		}
	}
	for _, p := range private {
		if strings.Contains(log.String(), tail(p)) {
			t.Error("the log has a secret")
		}
	}
}

func TestLog(t *testing.T) {
	var log syncBuffer
	s := start(t, Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	token := newToken(t, s)
	getJobs(t, s, "bad")
	setFault(t, s, JobsServer, Fault{CutOff: true})
	_, _ = try(jobsRequest(t, s, token))
	askControl(t, s, http.MethodGet, "/elsewhere", "")
	for _, want := range []string{
		"server=auth method=POST path=/connect/token status=200 duration=",
		"server=jobs method=GET path=/jobs status=401 duration=",
		`server=jobs method=GET path=/jobs status="cut off" duration=`,
		"server=control method=GET path=(unknown) status=404 duration=",
	} {
		if got := strings.Count(log.String(), want); got != 1 {
			t.Errorf("%d lines with %q", got, want)
		}
	}
}
