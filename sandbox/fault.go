package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"
)

// The servers that can have faults.
const (
	AuthServer = "auth"
	JobsServer = "jobs"
)

// maxDelay bounds a delay. With a longer one the sandbox would seem to hang.
const maxDelay = 10 * time.Minute

// Fault makes a server misbehave. It affects the requests that [Counts] counts.
//
// A delay or a hold can be combined with a status or a cut-off. Alone, it means a late but
// otherwise normal response.
type Fault struct {
	// Status, if not zero, replaces the normal response: 200 to 599.
	Status int
	// Headers are the headers of that response, such as Retry-After.
	Headers map[string]string
	// Body is the body of that response (default: an error that says that it is made up).
	Body string
	// Delay passes before the response or the cut-off.
	Delay time.Duration
	// Hold holds back the response or the cut-off until the fault is cleared or replaced,
	// or the client has disconnected.
	Hold bool
	// CutOff closes the connection without a response. Many HTTP clients, including Go's,
	// silently retry a GET that was cut off on a reused connection, so that a cut-off of
	// one request has no effect.
	CutOff bool
	// Requests is the number of requests that are affected; zero means all, until the
	// fault is cleared.
	Requests int
}

func (f Fault) validate() error {
	switch {
	case f.Status == 0 && f.Delay == 0 && !f.Hold && !f.CutOff:
		return errors.New("a fault needs a status, a delay, a hold or a cut-off")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	case f.Status != 0 && f.CutOff:
		return errors.New("a fault has either a status or a cut-off")
	case f.Status == 0 && (len(f.Headers) > 0 || f.Body != ""):
		return errors.New("headers and body need a status")
	case !areHeaders(f.Headers):
		return errors.New("the name of a header must be a token, and its value one line")
	case f.Body != "" && !hasBody(f.Status):
		return fmt.Errorf("a response with status %d has no body", f.Status)
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
