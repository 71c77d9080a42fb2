package flow

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/oauth2"
	"automatic-rostering/plugin/core/vars"
)

// choose decides what to do next, by what the instance and the flow know now. Every result
// of a step leads back here, so it is also the last look before a token request.
func (f *Flow) choose() Event {
	f.offer()
	left := f.left()
	usable := f.Object != nil && (f.force == 0 || f.asked == obtained)
	enough := usable && (!f.due() || f.asked != notAsked || left > 0 || f.found == held)
	if enough && f.locked == 0 {
		return tokenReady
	}
	if err := f.readClient(); err != nil {
		if usable {
			return tokenReady
		}
		f.err = err
		return declined
	}
	switch {
	case enough || f.asked != notAsked || left > 0:
		return f.end(enough, left)
	case f.store != withStore || f.locked != 0:
	case f.found == nothing && f.force == 0:
		return lookInStore
	case f.found != held:
		return takeLock
	case f.force == 0:
		return lockHeld
	}
	f.Request = oauth2.NewTokenRequest(f.client)
	f.vars.TokenRequests++
	f.save()
	return requestToken
}

// end ends the flow, once the lock that it holds shows that.
func (f *Flow) end(enough bool, left int64) Event {
	looked := f.vars.LookedAt >= f.now && f.vars.LookedAt <= f.now+vars.Tolerance
	switch {
	case f.locked != 0:
		return lockToWrite
	case enough:
		return tokenReady
	case f.store == withStore && f.force == 0 && f.asked == notAsked && f.found == nothing && !looked:
		f.vars.LookedAt = f.now // during a backoff, once a second
		f.save()
		return lookInStore
	}
	return declined
}

// offer finds the token that the step has: for some seconds after a renewal, the one before.
func (f *Flow) offer() {
	s := f.vars
	f.Object = nil
	if f.now != 0 && f.now < s.Token.ArrivedAt+vars.Overlap {
		f.offerIf(&s.Previous, vars.Previous)
	}
	if f.Object == nil {
		f.offerIf(&s.Token, vars.TokenObject)
	}
}

func (f *Flow) offerIf(t *vars.Token, name string) {
	if !f.usable(t) {
		return
	}
	f.Object, f.offered = f.host.Var(name), t
	if f.Object == nil { // the host did not keep it
		*t = vars.Token{}
		f.save()
	}
}

// usable reports whether the flow may use a token. Without a clock it may until a 401.
func (f *Flow) usable(t *vars.Token) bool {
	if t.Hash == f.refused {
		return false // also if both are 0
	}
	return t.Hash != 0 && (f.now == 0 && !f.vars.Refuses(t.Hash) || f.vars.Usable(t, f.now))
}

// due reports whether a token is to be obtained, although there may be one.
func (f *Flow) due() bool {
	t := &f.vars.Token
	return !f.usable(t) || f.now != 0 && f.now >= t.RenewAt()
}

// otherSteps is how long the token of a step other than done is used, in seconds.
const otherSteps = 30

// until returns when the host begins again, instead of using the token of the step.
func (f *Flow) until() int64 {
	t := f.offered
	end := f.now + otherSteps
	switch {
	case t == &f.vars.Previous:
		end = f.vars.Token.ArrivedAt + vars.Overlap
	case f.now < t.RenewAt():
		end = t.RenewAt()
	case f.state == Done:
		end = f.now + max(f.left(), 1)
	}
	return min(end, t.ExpiresAt)
}

// left returns the seconds until the next token request may be sent, or 0.
func (f *Flow) left() int64 {
	if f.now == 0 {
		return 0
	}
	since := f.retry.Since
	left := f.retry.Left(f.now)
	if f.retry.Since != since {
		f.SetBackoff(f.retry)
	}
	return left
}

func (f *Flow) readClient() (err *apierror.Error) {
	if f.key == "" {
		if f.client, err = config.ReadClient(f.host.Config); err == nil {
			f.key = oauth2.CacheKey(f.client)
		}
	}
	return err
}

// logOld logs that a renewal failed, at most once a minute.
func (f *Flow) logOld() {
	if f.minuteSince(&f.retry.Warned) {
		f.SetBackoff(f.retry)
		f.host.Log(host.Warn, "the token could not be renewed; the old one, still valid, is used")
	}
}

// Error returns why the flow failed, as JSON.
func (f *Flow) Error() []byte {
	left := f.left()
	own := &oauth2.Failure{Code: codes[f.code], Status: f.status}
	switch {
	case f.err != nil:
		return f.err.JSON()
	case f.asked == obtained:
		err := notKept()
		err.RetryAfter = left
		return err.JSON()
	case f.code != 0 && *own != *oauth2.ReadFailure(f.retry.Error):
		err := own.Error()
		err.RetryAfter = left
		return err.JSON()
	}
	return apierror.Object(f.retry.Error, left)
}

// codes are those of the errors with which a token request, or a new token, can fail.
var codes = [...]string{"", apierror.TokenEndpointRejected, apierror.TokenEndpointUnavailable,
	apierror.TokenResponseInvalid, apierror.NetworkError, apierror.ServiceUnauthorized}

// fail records how the flow failed.
func (f *Flow) fail(err *apierror.Error) {
	f.asked, f.err, f.status = failed, err, int64(err.Status)
	for i, code := range codes {
		if code == err.Code {
			f.code = int64(i)
		}
	}
}

func notKept() *apierror.Error {
	return &apierror.Error{Code: apierror.TokenResponseInvalid, Retryable: true,
		Message: "the new token expired, was refused or was lost; leave room for vars (max_var_bytes), then retry"}
}
