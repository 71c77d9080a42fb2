package oauth2

import (
	"strconv"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/backoff"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/json"
)

// The values of cache_key:asking in the shared store, which show the instances of a fleet
// each other's token requests; the third is Failure.Value. Refused is the value of cache_key
// instead of a refused token.
const (
	Asking  = `{"state":"asking"}`
	Done    = `{"state":"done"}`
	Refused = `{"state":"refused"}`
)

// Failure is what a fleet learns about an error: a failed token request, or a new token that
// the service refused.
type Failure struct {
	Code   string
	Status int64
	Wait   int64 // seconds until the next token request, at most an hour
}

// ReadFailure reads an error of the plugin. Code is empty if it is another error.
func ReadFailure(err []byte) (f Failure) {
	json.Value(err).Each(func(name string, value json.Value) bool {
		switch name {
		case "code":
			f.Code = value.Text()
		case "status":
			f.Status, _, _ = value.Integer(maxStatus)
		case "retry_after":
			f.Wait, _, _ = value.Integer(backoff.MaxWait)
		}
		return true
	})
	if (&Lock{code: f.Code}).Error() == nil {
		f.Code = ""
	}
	return f
}

// Value returns the value of the lock that shows the failure, as one of failures in a row.
func (f *Failure) Value(now int64, failures int) string {
	return `{"state":"failed","code":"` + f.Code + `","status":` + strconv.FormatInt(f.Status, 10) +
		`,"until":` + strconv.FormatInt(now+f.Wait, 10) + `,"wait":` + strconv.FormatInt(f.Wait, 10) +
		`,"failures":` + strconv.Itoa(failures) + `}`
}

const maxStatus = 599

// Lock is a decoded value of the lock. If neither Done nor Failed is set, a token request is
// under way, or the value is one that this version cannot read: it expires.
type Lock struct {
	Done, Failed bool
	Until        int64 // Unix seconds, by the clock of the other instance
	Wait         int64 // seconds, from when the value was written
	Failures     int
	code         string
	status       int
}

// ParseLock decodes a value from the store, which anybody may have written. It ignores unknown
// fields: a later version may add some.
func ParseLock(value string) (lock Lock) {
	name, wrong := "", false
	number := func(v json.Value, least, most int64) int64 {
		n, negative, whole := v.Integer(most)
		if v.Kind() != json.Number || negative || !whole || n < least {
			wrong = true
		}
		return n
	}
	valid := json.Object([]byte(value), func(field string, v json.Value) bool {
		switch field {
		case "state":
			name = v.Text()
		case "code":
			lock.code = v.Text()
		case "status":
			lock.status = int(number(v, 0, maxStatus+1))
		case "until":
			lock.Until = number(v, 1, clock.Latest)
		case "wait":
			lock.Wait = number(v, 1, backoff.MaxWait)
		case "failures":
			lock.Failures = int(number(v, 1, backoff.MaxFailures))
		}
		return !wrong
	})
	if !valid || wrong {
		return Lock{}
	}
	lock.Done = name == "done"
	lock.Failed = name == "failed" && lock.Until > 0 && lock.Wait > 0 && lock.Failures > 0 && lock.Error() != nil && lock.hasStatus()
	return lock
}

// hasStatus reports whether the status is one that the error can have: only these two can be
// without one.
func (l *Lock) hasStatus() bool {
	if l.status == 0 {
		return l.code == apierror.NetworkError || l.code == apierror.TokenResponseInvalid
	}
	return l.status >= 100 && l.status <= maxStatus
}

// Error returns the error with this plugin's message, or nil for a code that the lock cannot
// have.
func (l *Lock) Error() *apierror.Error {
	e := &apierror.Error{Code: l.code, Status: l.status, Retryable: true}
	switch l.code {
	case apierror.TokenEndpointRejected:
		e.Retryable = false
		e.Message = refusedClient
	case apierror.TokenEndpointUnavailable:
		e.Message = unavailable
	case apierror.TokenResponseInvalid:
		e.Message = unusableResponse + checkURL
	case apierror.NetworkError:
		e.Message = noResponse + "; check auth_url, the network and the host's limits, then retry"
	case apierror.ServiceUnauthorized:
		e.Retryable = false
		e.Message = "the service refused a new token; check environment, scope and the client's permissions"
	default:
		return nil
	}
	e.Message += " (seen by another instance)"
	return e
}
