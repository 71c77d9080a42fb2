package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/instance"
)

// backOff records a failure, and the wait after it: that of a Retry-After, unless it is 0. A
// failure within a backoff does not count, but the later end wins.
func (f *Flow) backOff(err *apierror.Error, retryAfter int64) {
	if left := f.left(); left > 0 {
		f.retry.Since, f.retry.Wait = f.now, max(left, retryAfter)
		if retryAfter > 0 {
			f.retry.Secret = 0 // that is for every secret
			f.retry.Told = f.retry.Told || retryAfter >= left
		}
	} else {
		f.retry = f.retry.Next(f.now)
		f.retry.Error = err.Members()
		f.markSecret(err)
		f.retry.Wait = f.untilExpiry(f.retry.Wait)
		if retryAfter > 0 {
			f.retry.Wait, f.retry.Told = retryAfter, true
		}
	}
	f.SetBackoff(f.retry)
	err.RetryAfter = f.retry.Wait
}

// SetBackoff sets the backoff, or removes it.
func (f *Flow) SetBackoff(r *backoff.Record) {
	f.retry = r
	f.host.SetVar(instance.Retry, nil) // first, as in keep
	if len(r.Error) != 0 {
		f.host.SetVar(instance.Retry, r.Encode())
	}
}

func (f *Flow) endBackoff() { f.SetBackoff(&backoff.Record{}) }

// settleBackoff ends a backoff whose secret was changed, and begins it again if the clock was set back.
func (f *Flow) settleBackoff() {
	switch {
	case f.now == 0:
	case f.retry.Secret != 0 && f.readClient() == nil && f.retry.Secret != f.secretMark():
		f.endBackoff()
	case f.retry.Settle(f.now):
		f.SetBackoff(f.retry)
	}
}

// left returns the seconds until the next token request may be sent, or 0.
func (f *Flow) left() int64 {
	if f.now == 0 {
		return 0
	}
	return f.retry.Left(f.now)
}

// markSecret notes that a backoff is because of the secret, and ends with it.
func (f *Flow) markSecret(err *apierror.Error) {
	if err.Code == apierror.TokenEndpointRejected {
		f.retry.Secret = f.secretMark()
	}
}

// beforeExpiry is how long before the token in use expires a backoff ends, in seconds: a token
// request takes that long.
const beforeExpiry = 2

// untilExpiry returns a wait that ends before the token in use expires, or then, unless it is
// one that a server may have requested.
func (f *Flow) untilExpiry(wait int64) int64 {
	wait = max(wait, 1)
	if t := &f.instance.Token; wait <= backoff.MaxOwnWait && f.instance.Usable(t, f.now) {
		left := t.ExpiresAt - f.now
		if left > beforeExpiry {
			left -= beforeExpiry
		}
		wait = min(wait, left)
	}
	return wait
}
