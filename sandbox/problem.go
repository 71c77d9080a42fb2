package sandbox

import (
	"encoding/json"
	"net/http"
)

// madeUp is in every body of the jobs service: the real one is not known.
const madeUp = "made up: the real service's response is not known"

// problem is the body of an error.
type problem struct {
	Sandbox string `json:"sandbox"`
	Error   string `json:"error"`
	Message string `json:"message"`
}

// writeProblem responds with an error. The message must have nothing from the request, which could
// be a token or a secret.
func writeProblem(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, problem{Sandbox: madeUp, Error: code, Message: message})
}

// writeJSON responds with a JSON body. It ignores errors of writing, which mean that the client has
// disconnected.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// allow reports whether the request has a method, and otherwise responds with 405.
func allow(w http.ResponseWriter, r *http.Request, method string) bool {
	if r.Method == method {
		return true
	}
	w.Header().Set("Allow", method)
	writeProblem(w, http.StatusMethodNotAllowed, "method_not_allowed", "this path allows only "+method)
	return false
}
