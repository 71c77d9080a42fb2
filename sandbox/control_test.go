package sandbox

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestFaults(t *testing.T) {
	s := start(t, Config{})
	token := granted(t, s).AccessToken
	for server, next := range map[string]func() *http.Request{
		AuthServer: func() *http.Request { return tokenRequest(s, form(s)) },
		JobsServer: func() *http.Request { return jobsRequest(s, token) },
	} {
		t.Run(server, func(t *testing.T) {
			fault := func(fields string) {
				control(t, s, "POST", "/faults", `{"server":"`+server+`",`+fields+`}`, 204)
			}
			fault(`"status":503,"headers":{"Retry-After":"7"},"body":"<p>busy</p>","requests":2`)
			for range 2 {
				if a := do(t, next(), 503); a.header.Get("Retry-After") != "7" || a.body != "<p>busy</p>" {
					t.Errorf("Retry-After %q, body %q", a.header.Get("Retry-After"), a.body)
				}
			}
			do(t, next(), 200)

			fault(`"status":500`)
			for range 3 {
				do(t, next(), 500).wantError(t, "sandbox_fault", "switched on")
			}
			control(t, s, "DELETE", "/faults", "", 204)
			do(t, next(), 200)

			fault(`"status":400,"body":"{\"error\":\"mine\"}","requests":1`)
			do(t, next(), 400).wantError(t, "mine", "") // as JSON
			fault(`"status":503,"body":"","requests":1`)
			if a := do(t, next(), 503); a.body != "" {
				t.Errorf("body %q, not an empty one", a.body)
			}
			fault(`"status":204,"requests":1`)
			do(t, next(), 204)
			fault(`"status":502,"body":"x","delay_ms":1,"requests":1`)
			if a := do(t, next(), 502); a.body != "x" {
				t.Errorf("body %q", a.body)
			}

			fault(`"cut_off":true,"delay_ms":1,"requests":1`)
			if a, err := try(next()); !errors.Is(err, io.EOF) {
				t.Errorf("status %d, error %v; want a cut-off", a.status, err)
			}
			fault(`"delay_ms":600000,"requests":1`)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if a, err := try(next().WithContext(ctx)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("status %d, error %v; want a delay", a.status, err)
			}
			do(t, next(), 200)
		})
	}
}

func TestFaultsOfATokenResponse(t *testing.T) {
	s := start(t, Config{})
	for fields, want := range map[string][2]string{
		`"token":{"expires_in":null}`:                      {`{"access_token":"sandbox.`, `expires_in`},
		`"token":{"expires_in":3600.0,"token_type":"MAC"}`: {`"expires_in":3600.0,`, `Bearer`},
		`"bom":true,"delay_ms":1`:                          {"\ufeff{", ""},
	} {
		control(t, s, "POST", "/faults", `{"server":"auth",`+fields+`}`, 204)
		a := do(t, tokenRequest(s, form(s)), 200)
		if !strings.Contains(a.body, want[0]) || want[1] != "" && strings.Contains(a.body, want[1]) {
			t.Errorf("%s: %s", fields, a.body)
		}
	}
	s.ClearFaults()
	do(t, jobsRequest(s, granted(t, s).AccessToken), 200)
}

// The service has the list of revocations of when the fault was set, until it ends.
func TestOldRevocations(t *testing.T) {
	s := start(t, Config{})
	before := granted(t, s).AccessToken
	s.Revoke()
	control(t, s, "POST", "/faults", `{"server":"jobs","old_revocations":true}`, 204)
	do(t, jobsRequest(s, before), 401)
	after := granted(t, s).AccessToken
	s.Revoke()
	do(t, jobsRequest(s, after), 200)
	s.ClearFaults()
	do(t, jobsRequest(s, after), 401).wantError(t, "invalid_token", errUnknown.Error())
}

// The faults of a path come before that of all paths.
func TestFaultsOfAPath(t *testing.T) {
	s := start(t, Config{})
	token := granted(t, s).AccessToken
	orders := func() *http.Request {
		r := jobsRequest(s, token)
		r.URL.Path = "/orders"
		return r
	}
	for _, fault := range []string{`"path":"/orders","status":500,"requests":1`, `"status":401`} {
		control(t, s, "POST", "/faults", `{"server":"jobs",`+fault+`}`, 204)
	}
	do(t, jobsRequest(s, token), 401)
	do(t, orders(), 500)
	do(t, orders(), 401).wantError(t, "sandbox_fault", "")

	// One of two ends.
	control(t, s, "POST", "/faults", `{"server":"jobs","path":"/orders","status":500}`, 204)
	control(t, s, "DELETE", "/faults", `{"server":"jobs"}`, 204)
	do(t, jobsRequest(s, token), 200)
	do(t, orders(), 500)
	control(t, s, "DELETE", "/faults", `{"server":"jobs","path":"/orders"}`, 204)
	do(t, orders(), 200)
}

func TestHoldAndWait(t *testing.T) {
	s := start(t, Config{})
	control(t, s, "POST", "/faults", `{"server":"jobs","hold":true}`, 204)
	r := jobsRequest(s, granted(t, s).AccessToken)
	done := make(chan result, 1)
	go func() {
		a, _ := try(r)
		done <- a
	}()
	control(t, s, "POST", "/wait", `{"token_requests":1,"job_requests":1}`, 200)
	if len(done) > 0 {
		t.Error("the request was not held")
	}
	s.ClearFaults()
	if a := <-done; a.status != 200 {
		t.Errorf("status %d", a.status)
	}
}

func TestCountsAndRequests(t *testing.T) {
	s := start(t, Config{})
	token := granted(t, s).AccessToken
	r := request("POST", s.BaseURL()+"/orders?day=1", strings.Repeat("o", maxExcerpt+1))
	r.Header.Set("CUSTOMER_ID", "customer-1")
	do(t, r, 401)
	do(t, request("GET", s.AuthURL()+"/other", ""), 404)
	control(t, s, "POST", "/faults", `{"server":"jobs","cut_off":true}`, 204)
	_, _ = try(jobsRequest(s, token))

	if got := strings.TrimSpace(control(t, s, "GET", "/counts", "", 200).body); got != `{"token_requests":1,"job_requests":2}` {
		t.Errorf("counts %s", got)
	}
	var got []Request
	control(t, s, "GET", "/requests", "", 200).decode(t, &got)
	if len(got) != 3 {
		t.Fatalf("%d requests", len(got))
	}
	if f := got[0]; f.Server != AuthServer || f.Target != "/connect/token" || f.Form["grant_type"] != "client_credentials" || f.Status != 200 {
		t.Errorf("the first is %+v", f)
	}
	if p := got[1]; p.Method != "POST" || p.Target != "/orders?day=1" || len(p.Body) != maxExcerpt ||
		p.Length != maxExcerpt+1 || p.Headers["customer_id"] != "customer-1" || p.Status != 401 {
		t.Errorf("the second is %+v", p)
	}
	if j := got[2]; j.Server != JobsServer || j.Headers["authorization"] != "Bearer "+token || j.Status != cutOff {
		t.Errorf("the third is %+v", j)
	}
}

// A request's headers and form may add up to a megabyte.
func TestJournalIsBounded(t *testing.T) {
	j := &journal{changed: make(chan struct{})}
	for range maxEntries + 1 {
		j.add(&entry{Server: JobsServer})
	}
	if counts, _ := j.count(); counts.JobRequests != maxEntries+1 || len(j.requests()) != maxEntries {
		t.Errorf("%+v, %d requests", counts, len(j.requests()))
	}
	for i := range 300 {
		r := request("POST", "http://auth/connect/token", "")
		r.Header.Set("X-Long", strings.Repeat("x", 500<<10))
		j.add(&entry{Server: AuthServer, request: newRequest(AuthServer, r, []byte("long="+strings.Repeat("y", 500<<10)))})
		size := 0
		for _, kept := range j.requests() {
			size += len(kept.Headers["x-long"]) + len(kept.Form["long"])
		}
		if size > maxSize || size < min(i, 10)*1000<<10 {
			t.Fatalf("%d bytes are kept of %d requests", size, i+1)
		}
	}
}

func TestControlRejectsInvalidRequests(t *testing.T) {
	s := start(t, Config{})
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "/faults", `{"server":"jobs","state":500}`, 400, "state"},
		{"POST", "/faults", `{"status":500}`, 400, "server"},
		{"POST", "/faults", ``, 400, "server"},
		{"POST", "/faults", `{"server":"jobs","status":500}}`, 400, "after"},
		{"POST", "/faults", `{"server":"jobs","path":"orders","status":500}`, 400, "begin with /"},
		{"POST", "/faults", `{"server":"jobs","path":"/orders?day=1","status":500}`, 400, "query"},
		{"POST", "/faults", strings.Repeat(" ", maxBody+1), 400, "too large"},
		{"POST", "/faults", `{"server":"jobs"}`, 400, "needs"},
		{"POST", "/faults", `{"server":"jobs","status":100}`, 400, "between 200 and 599"},
		{"POST", "/faults", `{"server":"jobs","status":500,"cut_off":true}`, 400, "cut-off"},
		{"POST", "/faults", `{"server":"jobs","cut_off":true,"body":"x"}`, 400, "need a status"},
		{"POST", "/faults", `{"server":"jobs","status":500,"headers":{"Retry-After":"1\r\nX: y"}}`, 400, "one line"},
		{"POST", "/faults", `{"server":"jobs","status":500,"headers":{"":"1"}}`, 400, "token"},
		{"POST", "/faults", `{"server":"jobs","bom":true}`, 400, "identity provider"},
		{"POST", "/faults", `{"server":"auth","token":{"expires_in":null},"status":500}`, 400, "without a status"},
		{"POST", "/faults", `{"server":"auth","old_revocations":true}`, 400, "service"},
		{"POST", "/faults", `{"server":"jobs","delay_ms":1,"hold":true}`, 400, "hold"},
		{"POST", "/faults", `{"server":"jobs","status":204,"body":"x"}`, 400, "no body"},
		{"POST", "/faults", `{"server":"jobs","status":500,"requests":-1}`, 400, "negative"},
		{"POST", "/faults", `{"server":"jobs","delay_ms":-1}`, 400, "delay_ms"},
		{"POST", "/faults", `{"server":"jobs","delay_ms":9223372036854775807}`, 400, "delay_ms"},
		{"DELETE", "/faults", `{"path":"/jobs"}`, 400, "server"},
		{"POST", "/revoke", `{"token":"x"}`, 400, "token"},
		{"POST", "/lifetime", `{"seconds":9223372036854775807}`, 400, "seconds"},
		{"POST", "/lifetime", `{"seconds":1.5}`, 400, "seconds"},
		{"POST", "/wait", `{"jobs":1}`, 400, "jobs"},
		{"PUT", "/faults", ``, 405, "Method"},
		{"GET", "/unknown", ``, 404, "not found"},
	} {
		if a := control(t, s, c.method, c.path, c.body, c.status); !strings.Contains(a.body, c.says) || (c.status == 405) != (a.header.Get("Allow") != "") {
			t.Errorf("%s %s %.99s: error %q does not say %q", c.method, c.path, c.body, a.body, c.says)
		}
	}
	do(t, jobsRequest(s, granted(t, s).AccessToken), 200)
}

func TestControlRejectsOtherSites(t *testing.T) {
	s := start(t, Config{})
	for origin, status := range map[string]int{"https://other.example": 403, s.ControlURL(): 204} {
		r := request("POST", s.ControlURL()+"/revoke", "")
		r.Header.Set("Origin", origin)
		do(t, r, status)
	}
}

// The name of a site may lead to loopback: its pages are of the same origin as what they read from there.
func TestControlRejectsOtherHosts(t *testing.T) {
	s := start(t, Config{})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.ControlURL(), "http://"))
	for host, status := range map[string]int{
		"other.example:" + port: 421, "other.example": 421, "localhost.other.example": 421, "10.0.0.1": 421,
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "[::1]:" + port: 200, "localhost": 200,
	} {
		r := request("POST", s.ControlURL()+"/rotate", "")
		r.Host = host
		if got := do(t, r, status); status == 421 && strings.Contains(got.body, "stage") {
			t.Errorf("%s gets %s", host, got.body)
		}
	}
}

// The events have the requests with their clients, hashes of tokens, and the faults.
func TestControlSendsEvents(t *testing.T) {
	s := start(t, Config{})
	token := granted(t, s).AccessToken
	do(t, jobsRequest(s, token), 200)
	control(t, s, "POST", "/faults", `{"server":"jobs","status":503,"headers":{"Retry-After":"5"},"requests":2}`, 204)
	response, err := httpClient.Do(request("GET", s.ControlURL()+"/events", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	events := ""
	for lines := bufio.NewScanner(response.Body); !strings.Contains(events, `"faults"`) && lines.Scan(); {
		events += lines.Text()
	}
	for _, want := range []string{
		`"server":"auth","lane":"Go-http-client/1.1"`, `"server":"jobs"`, `"token":"` + shortHash(token) + `","status":200`,
		`"switch":"fault"`, `"faults":[{"server":"jobs","status":503,"headers":{"Retry-After":"5"},"requests":2}]`,
	} {
		if !strings.Contains(events, want) {
			t.Errorf("no %s in %s", want, events)
		}
	}
	if strings.Contains(events, token) {
		t.Error("the events show a token")
	}
}
