package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The servers of the sandbox that can be given faults.
const (
	AuthServer = "auth"
	JobsServer = "jobs"
)

// maxDelay bounds a delay: longer ones only look like a sandbox that hangs.
const maxDelay = 10 * time.Minute

// Fault makes a server misbehave. It hits the requests that [Counts] counts:
// those to /connect/token of the identity provider and to /jobs of the jobs
// service. The provider's keys are always served, so that a fault there does
// not spread to the jobs service.
//
// A delay goes together with either of the others, and alone means a late but
// otherwise normal answer.
type Fault struct {
	// Status, if not zero, is answered in place of the real answer: 200 to
	// 599.
	Status int
	// RetryAfter is the Retry-After header of that answer, left out if empty.
	RetryAfter string
	// Body of that answer; an error that says it is made up if empty.
	Body string
	// Delay passes before the answer or the cut-off.
	Delay time.Duration
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
	case f.Status == 0 && f.Delay == 0 && !f.CutOff:
		return errors.New("a fault needs a status, a delay or a cut-off")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	case f.Status != 0 && f.CutOff:
		return errors.New("a fault cannot both answer with a status and cut off")
	case f.Status == 0 && (f.RetryAfter != "" || f.Body != ""):
		return errors.New("retry-after and body need a status")
	case strings.ContainsAny(f.RetryAfter, "\r\n"):
		return errors.New("retry-after must be one line")
	case f.Body != "" && !hasBody(f.Status):
		return fmt.Errorf("an answer of status %d has no body", f.Status)
	case f.Delay < 0 || f.Delay > maxDelay:
		return fmt.Errorf("delay %v is not between 0 and %v", f.Delay, maxDelay)
	case f.Requests < 0:
		return errors.New("requests must not be negative")
	default:
		return nil
	}
}

func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}
