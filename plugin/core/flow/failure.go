package flow

import (
	"slices"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
)

// codes are those of the errors with which a token request, or a new token, can fail.
var codes = [...]string{"", apierror.TokenEndpointRejected, apierror.TokenEndpointUnavailable,
	apierror.TokenResponseInvalid, apierror.NetworkError, apierror.ServiceUnauthorized}

// Error returns why the flow failed, as JSON.
func (f *Flow) Error() []byte {
	left := f.left()
	own := &oauth2.Failure{Code: codes[f.code], Status: f.status}
	err := f.err
	switch {
	case f.asked == obtained:
		err = f.notKept()
	case own.Code == apierror.ServiceUnauthorized:
		if err = own.Error(); f.instance.Token.Hash == f.refused {
			left = max(left, f.instance.Stays(f.now), 1)
		}
	case err != nil:
		return err.JSON()
	case f.code != 0 && *own != *oauth2.ReadFailure(f.retry.Error):
		err = own.Error()
	default:
		return apierror.Object(f.retry.Error, left)
	}
	err.RetryAfter = left
	return err.JSON()
}

// fail records how the flow failed. The store may have a token nevertheless.
func (f *Flow) fail(err *apierror.Error) {
	f.asked, f.found, f.err, f.status = failed, nothing, err, int64(err.Status)
	f.code = int64(slices.Index(codes[:], err.Code))
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
		f.SetBackoff(f.retry)
		f.host.Log(host.Warn, "the token could not be renewed; the old one, still valid, is used")
	}
}

func (f *Flow) requestFailed(err *apierror.Error, retryAfter int64) {
	f.countFailed()
	f.fail(err)
	if f.now != 0 {
		f.backOff(err, retryAfter)
	}
	if f.offer(); f.force == 0 && f.Object != nil {
		f.logOld()
	}
}

func (f *Flow) countFailed() {
	f.instance.FailedRequests++
	f.save()
}

func (f *Flow) expect(err *apierror.Error) (before *backoff.Record) {
	kept := *f.retry
	if f.now != 0 {
		f.backOff(err, 0)
	}
	return &kept
}

// ExpectTrap records a failed token request before it is sent: without a response, most hosts
// end the call. It returns the backoff as it was, for NoTrap.
func (f *Flow) ExpectTrap() (before *backoff.Record) {
	f.countFailed()
	return f.expect((&oauth2.Failure{Code: apierror.NetworkError}).Error())
}

// NoTrap takes back what ExpectTrap recorded. What follows a response saves the count.
func (f *Flow) NoTrap(before *backoff.Record) {
	f.instance.FailedRequests--
	f.SetBackoff(before)
}

// minuteSince reports whether something was last logged a minute ago, and notes that it is now.
func (f *Flow) minuteSince(last *int64) bool {
	if f.now >= *last && f.now < *last+60 {
		return false
	}
	*last = f.now
	return true
}
