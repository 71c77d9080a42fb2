package sandbox

import (
	"io"
	"net/http"
	"strings"
	"time"
)

const jobsPath = "/jobs"

// verifier returns what is wrong with a token. If known is not zero, it knows the revocations until then.
type verifier func(token string, known time.Time) error

// jobsHandler serves GET /jobs, and an echo of all other requests, for tokens that verify accepts.
func jobsHandler(verify verifier) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !authorized(w, r, verify):
		case r.URL.Path == jobsPath && r.Method == http.MethodGet:
			listJobs(w, r)
		default:
			body, _ := io.ReadAll(r.Body) // which watched has read already
			r.Header.Del("Authorization")
			writeJSON(w, http.StatusOK, map[string]any{
				"sandbox": madeUp, "method": r.Method, "path": r.URL.EscapedPath(), "query": r.URL.RawQuery,
				"headers": headers(r), "body": string(body),
			})
		}
	})
}

func listJobs(w http.ResponseWriter, r *http.Request) {
	for _, name := range []string{"CUSTOMER_ID", "USER_ID"} {
		if values := r.Header.Values(name); len(values) != 1 || strings.TrimSpace(values[0]) == "" {
			writeProblem(w, http.StatusBadRequest, "missing_header", "the request needs one header "+name+" with a value")
			return
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"sandbox": madeUp, "customer_id": r.Header.Get("CUSTOMER_ID"), "user_id": r.Header.Get("USER_ID"),
		"jobs": []map[string]string{{"id": "sandbox-job-1", "status": "running"}, {"id": "sandbox-job-2", "status": "finished"}},
	})
}

// authorized reports whether the request has a valid token, and otherwise responds with 401. The reason is also in
// the challenge, as RFC 6750 requires.
func authorized(w http.ResponseWriter, r *http.Request, verify verifier) bool {
	code, reason, detail := "missing_token", "the request needs one header Authorization: Bearer <token>", ""
	if token, ok := bearer(r); ok {
		var known time.Time
		if hit := faultOf(r); hit.OldRevocations {
			known = hit.began
		}
		err := verify(token, known)
		if err == nil {
			return true
		}
		code, reason = "invalid_token", err.Error()
		detail = `, error="invalid_token", error_description="` + reason + `"`
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="automatic-rostering-sandbox"`+detail)
	writeProblem(w, http.StatusUnauthorized, code, reason)
	return false
}

func bearer(r *http.Request) (string, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != ""
}
