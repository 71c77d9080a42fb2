package oauth2

import (
	"strconv"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/json"
)

// The values of cache_key:asking in the shared store, by which the instances of a fleet
// tell each other of token requests. The third is LockFailure.
const (
	Asking = `{"state":"asking"}`
	Done   = `{"state":"done"}`
)

// LockFailure is the value that tells of a failed token request, or of a new token that
// the service refused, and of the wait after it.
func LockFailure(r *backoff.Record) string {
	code, status := "", int64(0)
	json.Object(append(append([]byte{'{'}, r.Error...), '}'), func(name string, value json.Value) bool {
		switch name {
		case "code":
			code = value.Text()
		case "status":
			status, _, _ = value.Integer(maxStatus)
		}
		return true
	})
	return `{"state":"failed","code":"` + code + `","status":` + strconv.FormatInt(status, 10) +
		`,"until":` + strconv.FormatInt(r.Since+r.Wait, 10) + `,"failures":` + strconv.Itoa(r.Failures) + `}`
}

const maxStatus = 599

// Lock is such a value. Anything else means that a token request is under way: it ends by
// its time to live.
type Lock struct {
	Done, Failed bool
	Until        int64 // Unix seconds
	Failures     int
	code         string
	status       int
}

// ParseLock reads a value from the store, which anybody may have written.
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
		case "failures":
			lock.Failures = int(number(v, 1, backoff.MaxFailures))
		default:
			wrong = true
		}
		return !wrong
	})
	if !valid || wrong {
		return Lock{}
	}
	lock.Done = name == "done"
	lock.Failed = name == "failed" && lock.Until > 0 && lock.Failures > 0 && lock.Error() != nil &&
		(lock.status == 0 || lock.status >= 100 && lock.status <= maxStatus)
	return lock
}

// Error returns the error in the words of this plugin, or nil for a code that a failed token
// request does not have.
func (l *Lock) Error() *apierror.Error {
	e := &apierror.Error{Code: l.code, Status: l.status, Retryable: true}
	switch l.code {
	case apierror.TokenEndpointRejected:
		e.Retryable = false
		e.Message = refusedClient
	case apierror.TokenEndpointUnavailable:
		e.Message = unavailable
	case apierror.TokenResponseInvalid:
		e.Message = unusableAnswer
	case apierror.NetworkError:
		e.Message = noAnswer + "; check auth_url, the network and the host's limits, then call again"
	case apierror.ServiceUnauthorized:
		e.Retryable = false
		e.Message = "the service refused a new token; check environment, scope and the rights of the client"
	default:
		return nil
	}
	e.Message += " (seen by another instance)"
	return e
}
