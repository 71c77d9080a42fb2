package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/host"
)

// Error returns why the flow failed, as JSON.
func (f *Flow) Error() []byte {
	left := f.left()
	err := f.err
	switch {
	case f.asked == obtained:
		err = f.notKept()
	case f.failure.Name() == apierror.ServiceUnauthorized:
		if err = f.failure.Error(); f.instance.Token.Hash == f.refused {
			left = max(left, f.instance.Stays(f.now), 1)
		}
	case err != nil:
		return err.JSON()
	case f.failure.Code != 0 && f.failure != f.retry.Failure:
		err = f.failure.Error()
	default:
		return apierror.Object(f.members(), left)
	}
	err.RetryAfter = left
	return err.JSON()
}

// fail records how the flow failed. The store may have a token nevertheless.
func (f *Flow) fail(err *apierror.Error) {
	f.asked, f.found, f.err, f.failure = failed, nothing, err, failureOf(err)
}

func (f *Flow) notKept() *apierror.Error {
	message := "the new token expired, was refused or was lost; retry"
	if f.mayPause == 0 { // no library's host
		message += ", or raise max_var_bytes"
	}
	return &apierror.Error{Code: apierror.TokenResponseInvalid, Retryable: true, Message: message}
}

// logOld logs that a renewal failed, at most once a minute.
func (f *Flow) logOld() {
	if f.minuteSince(&f.retry.Warned) {
		f.save()
		f.host.Log(host.Warn, "the token could not be renewed; the old one, still valid, is used")
	}
}

func (f *Flow) requestFailed(err *apierror.Error, retryAfter int64) {
	f.instance.FailedRequests++
	f.fail(err)
	f.backOff(err, retryAfter)
	if f.offer(); f.force == 0 && f.Object != nil {
		f.logOld()
	}
}

func (f *Flow) countFailed() {
	f.instance.FailedRequests++
	f.save()
}

// Expected is a backoff as it was before a failure was expected.
type Expected struct {
	backoff.Record
	members []byte
}

func (f *Flow) expect(err *apierror.Error) (before Expected) {
	if before.Record = *f.retry; before.Failures != 0 {
		before.members = f.members()
	}
	f.backOff(err, 0)
	return before
}

// ExpectTrap records a failed token request before it is sent: without a response, most hosts
// end the call. It returns the backoff as it was, for NoTrap.
func (f *Flow) ExpectTrap() (before Expected) {
	f.instance.FailedRequests++
	return f.expect(backoff.Failed(apierror.NetworkError, 0).Error())
}

// NoTrap takes back what ExpectTrap recorded.
func (f *Flow) NoTrap(before Expected) {
	f.instance.FailedRequests--
	f.setBackoff(before.Record, before.members)
}

// minuteSince reports whether something was last logged a minute ago, and notes that it is now.
func (f *Flow) minuteSince(last *int64) bool {
	if f.now >= *last && f.now < *last+60 {
		return false
	}
	*last = f.now
	return true
}
