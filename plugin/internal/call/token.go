package call

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/oauth2"
	"automatic-rostering/plugin/internal/state"
)

// ask asks for a token, unless a back-off says to wait. All config that the whole
// call needs is judged first. The clock was read just before: the token's life counts
// from there.
func (f *Flow) ask() Step {
	if f.call != input.GetToken {
		if err := f.readService(); err != nil {
			return fail(err)
		}
	}
	client, err := config.ReadClient(f.host.Config)
	if err != nil {
		return f.refused(err.AppendJSON(nil))
	}
	f.client = client
	if left := f.wait(); left > 0 {
		return f.refused(apierror.AppendRetryAfter(f.retry.Error, left))
	}
	f.marks |= asked | awaiting
	f.request = oauth2.NewTokenRequest(&f.client)
	f.recordAttempt()
	return Step{Kind: Send, Request: f.request}
}

// wait gives the seconds until the next token request may leave, or 0.
func (f *Flow) wait() int64 {
	f.loadRetry()
	if f.now == 0 || len(f.retry.Error) == 0 {
		return 0
	}
	return f.retry.Left(f.now)
}

// recordAttempt counts the request as failed before it leaves: on most hosts a
// failed request is a trap, after which nothing can be recorded. A host that sends the
// requests itself tells of a failure.
func (f *Flow) recordAttempt() {
	if f.now == 0 || f.handsOut {
		return
	}
	failed := &apierror.Error{Code: apierror.NetworkError, Retryable: true,
		Message: "the last token request got no answer; check auth_url, the allowed hosts and the network"}
	f.keepFailure(failed.AppendJSON(nil), backoff.Wait(f.retry.Failures+1))
}

// keepFailure records one more failure than f.retry has, and the wait after it.
func (f *Flow) keepFailure(failure []byte, wait int64) {
	r := backoff.Record{Until: f.now + wait, Failures: f.retry.Failures + 1, Error: failure}
	f.host.SetVar(state.Retry, r.Encode())
}

func (f *Flow) tokenAnswered(a *message.Answer) Step {
	f.marks &^= awaiting
	f.log(a.Status)
	f.load()
	token, lifetime, err := oauth2.ParseTokenResponse(a, f.secrets)
	if err != nil {
		return f.tokenFailed(err, a.RetryAfter)
	}
	return f.tokenObtained(token, lifetime)
}

func (f *Flow) tokenFailed(err *apierror.Error, retryAfter string) Step {
	f.readClock() // the wait counts from the failure
	return f.refused(f.backOff(err, retryAfter))
}

// backOff records a failure and gives it as the host sees it.
func (f *Flow) backOff(err *apierror.Error, retryAfter string) []byte {
	seconds, told := backoff.RetryAfter(retryAfter)
	if !told && f.now == 0 {
		return err.AppendJSON(nil) // without a clock there is no wait of our own
	}
	if !told {
		seconds = backoff.Wait(f.retry.Failures + 1)
	}
	if f.now != 0 {
		kept := *err
		kept.HasBody = false // belongs to that answer alone, and may be long
		f.keepFailure(kept.AppendJSON(nil), seconds)
	}
	err.RetryAfter = seconds
	return err.AppendJSON(nil)
}

// refused goes on where no token can be had: with the old one while it is valid,
// unless the caller wants a new one.
func (f *Flow) refused(failure []byte) Step {
	f.failure = failure
	if f.in.Force || !f.alive() {
		return Step{Kind: Fail, Output: failure}
	}
	f.host.Log(Warn, "the token could not be renewed; the old one, still valid, is used")
	return f.use()
}

func (f *Flow) tokenObtained(text string, lifetime int64) Step {
	f.marks |= fresh
	object := f.keepToken(text, lifetime)
	if f.call == input.GetToken {
		f.host.SetVar(state.Retry, nil)
		return Step{Kind: Give, Output: object}
	}
	f.forgetAttempt()
	return f.sendToService()
}

// keepToken makes a token the cached one. Its lifetime in seconds counts from now. It
// gives the token object.
func (f *Flow) keepToken(text string, lifetime int64) []byte {
	f.cached, f.text = true, text
	f.token = state.Token{Generation: f.token.Generation + 1}
	if f.now != 0 {
		f.token.AskedAt, f.token.Lifetime = f.now, lifetime
		f.token.RenewAfter = lifetime - min(f.client.Margin, lifetime/2)
	}
	object := oauth2.AppendToken(nil, text, f.token.ExpiresAt(), oauth2.CacheKey(&f.client))
	f.storeToken(object)
	return object
}

// forgetAttempt takes back what recordAttempt recorded. The failures before it
// count until a call succeeds: the service may yet refuse the new token.
func (f *Flow) forgetAttempt() {
	if f.retry.Failures == 0 {
		f.host.SetVar(state.Retry, nil)
		return
	}
	f.retry = backoff.Record{Failures: f.retry.Failures}
	f.host.SetVar(state.Retry, f.retry.Encode())
}
