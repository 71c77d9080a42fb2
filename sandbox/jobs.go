package sandbox

import (
	"net/http"
	"strings"
)

const (
	jobsPath = "/jobs"
	realm    = "automatic-rostering-sandbox"
)

// jobList is the made-up response of the jobs service.
type jobList struct {
	Sandbox    string `json:"sandbox"`
	CustomerID string `json:"customer_id"`
	UserID     string `json:"user_id"`
	Jobs       []job  `json:"jobs"`
}

type job struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// jobsHandler serves GET /jobs for tokens that verify accepts.
func jobsHandler(verify func(token string) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != jobsPath {
			writeProblem(w, http.StatusNotFound, "not_found", "the jobs service has no such path")
			return
		}
		if r.Method != http.MethodGet {
			w.Header().Set("Allow", http.MethodGet)
			writeProblem(w, http.StatusMethodNotAllowed, "method_not_allowed", "this path allows only GET")
			return
		}
		if !authorized(w, r, verify) {
			return
		}
		customer, ok := requiredHeader(w, r, "CUSTOMER_ID")
		if !ok {
			return
		}
		user, ok := requiredHeader(w, r, "USER_ID")
		if !ok {
			return
		}
		writeJSON(w, http.StatusOK, jobList{
			Sandbox: madeUp, CustomerID: customer, UserID: user,
			Jobs: []job{{ID: "sandbox-job-1", Status: "running"}, {ID: "sandbox-job-2", Status: "finished"}},
		})
	})
}

// authorized reports whether the request has a valid token, and otherwise responds with 401. The
// reason is also in the challenge, as RFC 6750 requires.
func authorized(w http.ResponseWriter, r *http.Request, verify func(token string) error) bool {
	token, ok := bearer(r)
	if !ok {
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`"`)
		writeProblem(w, http.StatusUnauthorized, "missing_token", "the request needs one header Authorization: Bearer <token>")
		return false
	}
	if err := verify(token); err != nil {
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`", error="invalid_token", error_description="`+err.Error()+`"`)
		writeProblem(w, http.StatusUnauthorized, "invalid_token", err.Error())
		return false
	}
	return true
}

func bearer(r *http.Request) (string, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != ""
}

// requiredHeader returns the value of a header. If the header is not there exactly once, with a
// value, it responds with 400.
func requiredHeader(w http.ResponseWriter, r *http.Request, name string) (string, bool) {
	values := r.Header.Values(name)
	if len(values) != 1 || strings.TrimSpace(values[0]) == "" {
		writeProblem(w, http.StatusBadRequest, "missing_header", "the request needs one header "+name+" with a value")
		return "", false
	}
	return values[0], true
}
