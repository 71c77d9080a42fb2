package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"
)

// The servers of the sandbox that can be given faults.
const (
	AuthServer = "auth"
	JobsServer = "jobs"
)

// maxDelay bounds a delay: longer ones only look like a sandbox that hangs.
const maxDelay = 10 * time.Minute

// Fault makes a server misbehave. It hits the requests that [Counts] counts.
//
// A delay or a hold goes together with a status or a cut-off, and alone means
// a late but otherwise normal answer.
type Fault struct {
	// Status, if not zero, is answered in place of the real answer: 200 to
	// 599.
	Status int
	// Headers of that answer, Retry-After among them.
	Headers map[string]string
	// Body of that answer; an error that says it is made up if empty.
	Body string
	// Delay passes before the answer or the cut-off.
	Delay time.Duration
	// Hold holds the answer or the cut-off back until the server's fault is
	// cleared or replaced, or the client has gone.
	Hold bool
	// CutOff closes the connection without an answer. Many HTTP clients, that
	// of Go among them, silently repeat a GET that was cut off on a reused
	// connection, and so get past a cut-off of one request.
	CutOff bool
	// Requests is how many requests are hit; zero means all, until the fault
	// is cleared.
	Requests int
}

func (f Fault) validate() error {
	switch {
	case f.Status == 0 && f.Delay == 0 && !f.Hold && !f.CutOff:
		return errors.New("a fault needs a status, a delay, a hold or a cut-off")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	case f.Status != 0 && f.CutOff:
		return errors.New("a fault cannot both answer with a status and cut off")
	case f.Status == 0 && (len(f.Headers) > 0 || f.Body != ""):
		return errors.New("headers and body need a status")
	case !areHeaders(f.Headers):
		return errors.New("headers need a token as their name and one line as their value")
	case f.Body != "" && !hasBody(f.Status):
		return fmt.Errorf("an answer of status %d has no body", f.Status)
	case f.Delay < 0 || f.Delay > maxDelay:
		return fmt.Errorf("delay %v is not between 0 and %v", f.Delay, maxDelay)
	case f.Hold && f.Delay != 0:
		return errors.New("a fault has either a delay or a hold")
	case f.Requests < 0:
		return errors.New("requests must not be negative")
	default:
		return nil
	}
}

func areHeaders(headers map[string]string) bool {
	for name, value := range headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return false
		}
	}
	return true
}

func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}
