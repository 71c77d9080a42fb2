package sandbox

import (
	"net/http"
	"strings"
	"testing"
)

func TestJobs(t *testing.T) {
	s := start(t, Config{})
	a := getJobs(t, s, newToken(t, s))
	a.want(t, http.StatusOK)
	var list jobList
	a.decode(t, &list)
	if list.CustomerID != "customer-1" || list.UserID != "user-1" || len(list.Jobs) != 2 {
		t.Errorf("jobs %+v", list)
	}
	if !strings.HasPrefix(list.Sandbox, "made up") {
		t.Errorf("the response does not say that it is made up: %s", a.body)
	}
}

func TestJobsWithoutTheIDs(t *testing.T) {
	s := start(t, Config{})
	token := newToken(t, s)
	for _, name := range []string{"CUSTOMER_ID", "USER_ID"} {
		for what, spoil := range map[string]func(http.Header){
			"missing": func(h http.Header) { h.Del(name) },
			"empty":   func(h http.Header) { h.Set(name, "") },
			"blank":   func(h http.Header) { h.Set(name, " ") },
			"twice":   func(h http.Header) { h.Add(name, "another") },
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				r := jobsRequest(t, s, token)
				spoil(r.Header)
				a := do(t, r)
				a.want(t, http.StatusBadRequest)
				wantProblem(t, a, "missing_header", name)
			})
		}
	}
}

func TestJobsWithoutAToken(t *testing.T) {
	s := start(t, Config{})
	for name, authorization := range map[string][]string{
		"none":         nil,
		"empty":        {""},
		"scheme only":  {"Bearer"},
		"empty token":  {"Bearer "},
		"other scheme": {"Basic abc"},
		"two":          {"Bearer a", "Bearer b"},
	} {
		t.Run(name, func(t *testing.T) {
			r := jobsRequest(t, s, "")
			r.Header["Authorization"] = authorization
			a := do(t, r)
			a.want(t, http.StatusUnauthorized)
			wantProblem(t, a, "missing_token", "Authorization")
			if got := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer ") {
				t.Errorf("WWW-Authenticate %q", got)
			}
		})
	}
}

func TestJobsTakesAnyCaseOfTheScheme(t *testing.T) {
	s := start(t, Config{})
	r := jobsRequest(t, s, "")
	r.Header.Set("Authorization", "bearer "+newToken(t, s))
	do(t, r).want(t, http.StatusOK)
}

func TestJobsOtherPathsAndMethods(t *testing.T) {
	s := start(t, Config{})
	token := newToken(t, s)
	for name, c := range map[string]struct {
		method, path, code string
		status             int
	}{
		"root":           {http.MethodGet, "/", "not_found", 404},
		"trailing slash": {http.MethodGet, "/jobs/", "not_found", 404},
		"doubled slash":  {http.MethodGet, "//jobs", "not_found", 404},
		"post":           {http.MethodPost, "/jobs", "method_not_allowed", 405},
	} {
		t.Run(name, func(t *testing.T) {
			r := jobsRequest(t, s, token)
			r.Method, r.URL.Path = c.method, c.path
			a := do(t, r)
			a.want(t, c.status)
			wantProblem(t, a, c.code, "")
		})
	}
}

// wantProblem checks an error body of the jobs service.
func wantProblem(t *testing.T, a result, code, message string) {
	t.Helper()
	var p problem
	a.decode(t, &p)
	if p.Error != code || !strings.Contains(p.Message, message) || !strings.HasPrefix(p.Sandbox, "made up") {
		t.Errorf("body %s, want error %q with %q in its message", a.body, code, message)
	}
}
