package sandbox

import (
	"net/http"
	"strings"
	"testing"
)

func askControl(t *testing.T, s *Sandbox, method, path, body string) result {
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
	set(`{"server":"jobs","status":429,"headers":{"Retry-After":"3"},"body":"slow down","requests":1}`)
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
	do(t, newRequest(t, http.MethodGet, s.BaseURL()+"/other", "")).want(t, http.StatusNotFound)
	setFault(t, s, JobsServer, Fault{Status: 500})
	getJobs(t, s, token).want(t, http.StatusInternalServerError)

	want := Counts{TokenRequests: 2, JobRequests: 4}
	if got := s.Counts(); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	a := askControl(t, s, http.MethodGet, "/counts", "")
	a.want(t, http.StatusOK)
	if got := strings.TrimSpace(a.body); got != `{"token_requests":2,"job_requests":4}` {
		t.Errorf("counts %s", got)
	}
}

func TestRequests(t *testing.T) {
	s := start(t, Config{})
	token := newToken(t, s)
	r := newRequest(t, http.MethodPost, s.BaseURL()+"/orders?day=1", strings.Repeat("o", maxExcerpt+1))
	r.Header.Set("CUSTOMER_ID", "customer-1")
	do(t, r).want(t, http.StatusNotFound)
	getJobs(t, s, token)

	a := askControl(t, s, http.MethodGet, "/requests", "")
	a.want(t, http.StatusOK)
	var got []Request
	a.decode(t, &got)
	if len(got) != 3 {
		t.Fatalf("%d requests", len(got))
	}
	if f := got[0]; f.Server != AuthServer || f.Target != "/connect/token" || f.Form["grant_type"] != "client_credentials" {
		t.Errorf("the first is %s %s with %q", f.Method, f.Target, f.Form["grant_type"])
	}
	if p := got[1]; p.Method != http.MethodPost || p.Target != "/orders?day=1" || len(p.Body) != maxExcerpt ||
		p.Length != maxExcerpt+1 || p.Headers["customer_id"] != "customer-1" {
		t.Errorf("the second is %+v", p)
	}
	if j := got[2]; j.Server != JobsServer || j.Headers["authorization"] != "Bearer "+token {
		t.Errorf("the third is %s %s", j.Method, j.Target)
	}
}

func TestTheJournalIsBounded(t *testing.T) {
	j := newJournal(nil)
	for range maxRequests + 1 {
		j.add(Request{Server: JobsServer})
	}
	counts, _ := j.count()
	if requests := j.newest(); counts.JobRequests != maxRequests+1 || len(requests) != maxRequests {
		t.Errorf("%+v, %d requests", counts, len(requests))
	}
}

func TestWait(t *testing.T) {
	s := start(t, Config{})
	request := targets(t, s)[JobsServer]
	setFault(t, s, JobsServer, Fault{Hold: true})
	done := make(chan result)
	go func() {
		a, _ := try(request())
		done <- a
	}()
	askControl(t, s, http.MethodPost, "/wait", `{"token_requests":1,"job_requests":1}`).want(t, http.StatusOK)
	select {
	case a := <-done:
		t.Errorf("status %d at once", a.status)
	default:
	}
	s.ClearFaults()
	(<-done).want(t, http.StatusOK)
}

func TestClosingEndsWhatWaits(t *testing.T) {
	s := start(t, Config{})
	ended := make(chan error)
	go func() {
		_, err := s.Wait(t.Context(), Counts{TokenRequests: 1})
		ended <- err
	}()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the wait succeeded")
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
		"too large":         {"POST", "/faults", strings.Repeat(" ", maxBody+1), 400, "invalid_request"},
		"body of a revoke":  {"POST", "/revoke", `{"token":"x"}`, 400, "token"},
		"no seconds":        {"POST", "/lifetime", `{}`, 400, "seconds"},
		"negative seconds":  {"POST", "/lifetime", `{"seconds":-1}`, 400, "seconds"},
		"huge seconds":      {"POST", "/lifetime", `{"seconds":9223372036854775807}`, 400, "seconds"},
		"fraction":          {"POST", "/lifetime", `{"seconds":1.5}`, 400, "seconds"},
		"wrong method":      {"PUT", "/faults", ``, 405, "method"},
		"two bodies":        {"POST", "/faults", `{"server":"jobs","status":500,"body":"x","body_base64":"eA=="}`, 400, "either"},
		"unknown count":     {"POST", "/wait", `{"jobs":1}`, 400, "jobs"},
		"counts are posted": {"POST", "/counts", ``, 405, "method"},
		"unknown path":      {"GET", "/unknown", ``, 404, "path"},
	} {
		t.Run(name, func(t *testing.T) {
			a := askControl(t, s, c.method, c.path, c.body)
			a.want(t, c.status)
			if got := a.code(t); !strings.Contains(got, c.says) {
				t.Errorf("error %q does not say %q", got, c.says)
			}
			if a.status == http.StatusMethodNotAllowed && a.header.Get("Allow") == "" {
				t.Error("the response does not say what is allowed")
			}
		})
	}
	getJobs(t, s, newToken(t, s)).want(t, http.StatusOK)
}

// After a rotation, the old secret is refused, and tokens stay valid.
func TestControlRotates(t *testing.T) {
	s := start(t, Config{})
	token := newToken(t, s)
	_, old := s.Client(Stage)
	askControl(t, s, "POST", "/rotate", "").want(t, http.StatusNoContent)
	getJobs(t, s, token).want(t, http.StatusOK)
	newToken(t, s)
	if _, secret := s.Client(Stage); secret == old || s.clients[Stage].authentic(old) {
		t.Error("the old secret is valid")
	}
}

// Pages of other sites must not use the control API.
func TestControlRefusesOtherSites(t *testing.T) {
	s := start(t, Config{})
	r := newRequest(t, "POST", s.ControlURL()+"/revoke", "")
	r.Header.Set("Origin", "https://other.example")
	do(t, r).want(t, http.StatusForbidden)
	r.Header.Set("Origin", s.ControlURL())
	do(t, r).want(t, http.StatusNoContent)
}

// The events have the requests with their clients, hashes of tokens, and the faults.
func TestControlSendsEvents(t *testing.T) {
	s := start(t, Config{})
	token := newToken(t, s)
	getJobs(t, s, token).want(t, http.StatusOK)
	askControl(t, s, "POST", "/faults", `{"server":"jobs","status":503,"headers":{"Retry-After":"5"},"requests":2}`).want(t, http.StatusNoContent)
	response, err := httpClient.Do(newRequest(t, "GET", s.ControlURL()+"/events", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	events := ""
	for buffer := make([]byte, 4096); !strings.Contains(events, "event: state"); {
		n, err := response.Body.Read(buffer)
		if events += string(buffer[:n]); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		`"server":"auth","lane":"Go-http-client/1.1"`, `"server":"jobs"`, `"token":"` + shortHash(token) + `","status":200`,
		`"switch":"fault"`, `"faults":{"jobs":"503, Retry-After 5, 2 more"}`,
	} {
		if !strings.Contains(events, want) {
			t.Errorf("no %s in %s", want, events)
		}
	}
	if strings.Contains(events, token) {
		t.Error("the events show a token")
	}
}
