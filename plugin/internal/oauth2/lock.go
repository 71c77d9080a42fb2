package oauth2

import (
	"strconv"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/json"
)

// The values of cache_key:asking in the shared store, by which the instances of a fleet
// learn of each other's token requests; the third is Failure.Value. Refused is what
// cache_key has instead of a refused token.
const (
	Asking  = `{"state":"asking"}`
	Done    = `{"state":"done"}`
	Refused = `{"state":"refused"}`
)

// Failure is what a fleet learns of an error: of a failed token request, or of a new token
// that the service refused.
type Failure struct {
	Code   string
	Status int64
	Wait   int64 // seconds until the next token request, at most an hour
}

// ReadFailure reads an error of the plugin. Code is empty if it is no such error.
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

// Value is the value of the lock that shows the failure, the given number in a row.
func (f *Failure) Value(now int64, failures int) string {
	return `{"state":"failed","code":"` + f.Code + `","status":` + strconv.FormatInt(f.Status, 10) +
		`,"until":` + strconv.FormatInt(now+f.Wait, 10) + `,"wait":` + strconv.FormatInt(f.Wait, 10) +
		`,"failures":` + strconv.Itoa(failures) + `}`
}

const maxStatus = 599

// Lock is such a value. Anything else means that a token request is under way: it ends by
// its time to live.
type Lock struct {
	Done, Failed bool
	Until        int64 // Unix seconds, by the clock of the other instance
	Wait         int64 // seconds, from when the value was written
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
	lock.Failed = name == "failed" && lock.Until > 0 && lock.Wait > 0 && lock.Failures > 0 && lock.Error() != nil &&
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
		e.Message = unusableAnswer + checkURL
	case apierror.NetworkError:
		e.Message = noAnswer + "; check auth_url, the network and the host's limits, then retry"
	case apierror.ServiceUnauthorized:
		e.Retryable = false
		e.Message = "the service refused a new token; check environment, scope and the client's permissions"
	default:
		return nil
	}
	e.Message += " (seen by another instance)"
	return e
}
