package sandbox

import (
	"encoding/json"
	"net/http"
)

// madeUp is in every body that imitates an answer nobody has seen.
const madeUp = "made up: the real service's answer is not known"

// problem is the body of an error answer.
type problem struct {
	Sandbox string `json:"sandbox"`
	Error   string `json:"error"`
	Message string `json:"message"`
}

// writeProblem answers with an error. The message must not repeat anything
// that the request contained: it could be a token or a secret.
func writeProblem(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, problem{Sandbox: madeUp, Error: code, Message: message})
}

// writeJSON answers with a JSON body. That the body could not be written means
// the client has gone, and there is nobody left to tell.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// allow answers 405 unless the request has the method.
func allow(w http.ResponseWriter, r *http.Request, method string) bool {
	if r.Method == method {
		return true
	}
	w.Header().Set("Allow", method)
	writeProblem(w, http.StatusMethodNotAllowed, "method_not_allowed", "this path takes "+method+" only")
	return false
}
