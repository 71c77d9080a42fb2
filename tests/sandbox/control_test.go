package sandbox

import (
	"net/http"
	"strings"
	"testing"
)

func askControl(t *testing.T, s *Sandbox, method, path, body string) answer {
	t.Helper()
	return do(t, newRequest(t, method, s.ControlURL()+path, body))
}

func TestControlFaults(t *testing.T) {
	s := start(t, Config{})
	request := targets(t, s)[JobsServer]
	set := func(body string) {
		t.Helper()
		askControl(t, s, http.MethodPost, "/faults", body).want(t, http.StatusNoContent)
	}
	set(`{"server":"jobs","status":429,"retry_after":"3","body":"slow down","requests":1}`)
	a := do(t, request())
	a.want(t, http.StatusTooManyRequests)
	if a.header.Get("Retry-After") != "3" || a.body != "slow down" {
		t.Errorf("Retry-After %q, body %q", a.header.Get("Retry-After"), a.body)
	}
	do(t, request()).want(t, http.StatusOK)

	set(`{"server":"jobs","cut_off":true,"delay_ms":1}`)
	if a, err := try(request()); err == nil {
		t.Errorf("status %d, want a cut-off", a.status)
	}
	askControl(t, s, http.MethodDelete, "/faults", "").want(t, http.StatusNoContent)
	do(t, request()).want(t, http.StatusOK)
}

func TestControlRevoke(t *testing.T) {
	s := start(t, Config{})
	before := newToken(t, s)
	askControl(t, s, http.MethodPost, "/revoke", "").want(t, http.StatusNoContent)
	wantInvalid(t, s, before, errRevoked)
	getJobs(t, s, newToken(t, s)).want(t, http.StatusOK)
}

func TestControlLifetime(t *testing.T) {
	s := start(t, Config{})
	askControl(t, s, http.MethodPost, "/lifetime", `{"seconds":42}`).want(t, http.StatusNoContent)
	if got := granted(t, s, Stage).ExpiresIn; got != 42 {
		t.Errorf("expires in %d", got)
	}
}

func TestCounts(t *testing.T) {
	s := start(t, Config{})
	token := newToken(t, s)
	do(t, tokenRequest(t, s, nil)).want(t, http.StatusBadRequest)
	getJobs(t, s, token).want(t, http.StatusOK)
	getJobs(t, s, "bad").want(t, http.StatusUnauthorized)
	setFault(t, s, JobsServer, Fault{Status: 500})
	getJobs(t, s, token).want(t, http.StatusInternalServerError)
	do(t, newRequest(t, http.MethodGet, s.BaseURL()+"/other", "")).want(t, http.StatusNotFound)

	want := Counts{TokenRequests: 2, JobRequests: 3}
	if got := s.Counts(); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	a := askControl(t, s, http.MethodGet, "/counts", "")
	a.want(t, http.StatusOK)
	if got := strings.TrimSpace(a.body); got != `{"token_requests":2,"job_requests":3}` {
		t.Errorf("counts %s", got)
	}
}

func TestControlRefuses(t *testing.T) {
	s := start(t, Config{})
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		says               string
	}{
		"unknown field":     {"POST", "/faults", `{"server":"jobs","state":500}`, 400, "state"},
		"wrong type":        {"POST", "/faults", `{"server":"jobs","status":"500"}`, 400, "status"},
		"no server":         {"POST", "/faults", `{"status":500}`, 400, "server"},
		"empty":             {"POST", "/faults", ``, 400, "server"},
		"bad fault":         {"POST", "/faults", `{"server":"jobs"}`, 400, "needs"},
		"huge delay":        {"POST", "/faults", `{"server":"jobs","delay_ms":9223372036854775807}`, 400, "delay_ms"},
		"not JSON":          {"POST", "/faults", `server=jobs`, 400, "JSON"},
		"two values":        {"POST", "/faults", `{"server":"jobs","status":500}{}`, 400, "after"},
		"stray brace":       {"POST", "/faults", `{"server":"jobs","status":500}}`, 400, "after"},
		"too large":         {"POST", "/faults", strings.Repeat(" ", 2*maxBody), 400, "invalid_request"},
		"body of a revoke":  {"POST", "/revoke", `{"token":"x"}`, 400, "token"},
		"no seconds":        {"POST", "/lifetime", `{}`, 400, "seconds"},
		"negative seconds":  {"POST", "/lifetime", `{"seconds":-1}`, 400, "seconds"},
		"huge seconds":      {"POST", "/lifetime", `{"seconds":9223372036854775807}`, 400, "seconds"},
		"fraction":          {"POST", "/lifetime", `{"seconds":1.5}`, 400, "seconds"},
		"wrong method":      {"PUT", "/faults", ``, 405, "method"},
		"counts are posted": {"POST", "/counts", ``, 405, "method"},
		"unknown path":      {"GET", "/", ``, 404, "path"},
	} {
		t.Run(name, func(t *testing.T) {
			a := askControl(t, s, c.method, c.path, c.body)
			a.want(t, c.status)
			if got := a.code(t); !strings.Contains(got, c.says) {
				t.Errorf("error %q does not say %q", got, c.says)
			}
			if a.status == http.StatusMethodNotAllowed && a.header.Get("Allow") == "" {
				t.Error("the answer does not say what is allowed")
			}
		})
	}
	getJobs(t, s, newToken(t, s)).want(t, http.StatusOK)
}
