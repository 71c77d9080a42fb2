package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/instance"
)

// backOff records a failure, and, with a clock, the wait after it: that of a Retry-After, unless it is 0. A
// failure within a backoff does not count, but the later end wins. It saves the state.
func (f *Flow) backOff(err *apierror.Error, retryAfter int64) {
	if f.now == 0 {
		f.save()
		return
	}
	if left := f.left(); left > 0 {
		f.retry.Since, f.retry.Wait = f.now, max(left, retryAfter)
		if retryAfter > 0 {
			f.retry.Secret = 0 // that is for every secret
			if retryAfter >= left {
				f.retry.Told = 1
			}
		}
		f.save()
	} else {
		next := f.retry.Next(failureOf(err), f.now)
		next.Secret = f.markOf(err)
		next.Wait = f.untilExpiry(next.Wait)
		if retryAfter > 0 {
			next.Wait, next.Told = retryAfter, 1
		}
		f.setBackoff(next, err.Members())
	}
	err.RetryAfter = f.retry.Wait
}

func failureOf(err *apierror.Error) backoff.Failure {
	return backoff.Failed(err.Code, int64(err.Status))
}

// setBackoff sets the backoff and the members of its error, or removes it, and saves the state. A host without room for the
// error ends the call, or drops it: then the backoff has the error of its failure.
func (f *Flow) setBackoff(r backoff.Record, members []byte) {
	f.host.SetVar(instance.Retry, nil) // first, as in keep
	*f.retry = r
	f.save()
	if r.Failures != 0 {
		f.host.SetVar(instance.Retry, members)
	}
}

func (f *Flow) endBackoff() {
	if f.retry.Failures != 0 {
		f.setBackoff(backoff.Record{}, nil)
	}
}

// members returns those of the error of the backoff, without retry_after.
func (f *Flow) members() []byte {
	if members := f.host.Var(instance.Retry); len(members) != 0 {
		return members
	}
	return f.retry.Error().Members()
}

// settleBackoff ends a backoff whose secret was changed, and begins it again if the clock was set back. It
// reports whether it did, which the caller saves.
func (f *Flow) settleBackoff() (changed bool) {
	if f.now == 0 {
		return false
	}
	if f.retry.Secret != 0 && f.readClient() == nil && f.retry.Secret != f.secretMark() {
		*f.retry = backoff.Record{}
		return true
	}
	return f.retry.Settle(f.now)
}

// left returns the seconds until the next token request may be sent, or 0.
func (f *Flow) left() int64 {
	if f.now == 0 {
		return 0
	}
	return f.retry.Left(f.now)
}

// markOf returns the mark of the secret if an error is because of it. Its backoff ends with it.
func (f *Flow) markOf(err *apierror.Error) int64 {
	if err.Code == apierror.TokenEndpointRejected {
		return f.secretMark()
	}
	return 0
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
