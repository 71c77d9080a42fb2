package call

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/jobs"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/state"
)

// readService reads the config of the service, once in a call.
func (f *Flow) readService() (err *apierror.Error) {
	if f.service.BaseURL != "" {
		return nil
	}
	f.service, err = config.ReadService(f.host.Config, &f.in)
	return err
}

// sendToService sends the request to the service: the prepared one if it fits, else one
// that is prepared for the next calls too. A caller's own request is not prepared.
func (f *Flow) sendToService() Step {
	f.request, f.inUse = message.Request{}, f.token.Generation
	listing := f.call == input.ListJobs
	if listing && f.prepared() && f.host.Hold(state.JobsRequest) {
		return Step{Kind: SendHeld}
	}
	if err := f.readService(); err != nil {
		return fail(err)
	}
	text := f.accessToken()
	if text == "" {
		return f.lost()
	}
	if listing {
		f.request = jobs.NewRequest(&f.service, text)
		f.prepare()
	} else {
		f.request = jobs.NewOwnRequest(&f.service, text, &f.in.Request)
	}
	return Step{Kind: Send, Request: f.request}
}

// prepared reports whether the prepared request is one for this call's ids.
func (f *Flow) prepared() bool {
	ids := f.in.IDs()
	if ids == "" {
		return f.token.Prepared == state.ForConfig
	}
	return f.token.Prepared == state.ForInput && string(f.host.Var(state.JobsIDs)) == ids
}

func (f *Flow) serviceAnswered(a *message.Answer) Step {
	f.log(a.Status)
	if a.Status == 401 {
		return f.unauthorized(a)
	}
	if err := jobs.ParseResponse(a, f.secrets); err != nil {
		return fail(err)
	}
	f.succeeded()
	return Step{Kind: GiveAnswer}
}

// succeeded ends the back-off that a refused token or a failed request for the
// token in use began. One that began with a failed renewal goes on: the old token
// says nothing of the token endpoint.
func (f *Flow) succeeded() {
	if f.marks.has(repeated) {
		f.host.Log(Warn, "the service refused the token; a new one was accepted")
	}
	switch {
	case f.token.Rejected && f.current():
		f.host.SetVar(state.Retry, nil)
		f.markRejected(false)
	case f.marks.has(fresh) && f.retry.Failures > 0:
		f.host.SetVar(state.Retry, nil)
	}
}

// markRejected keeps whether the token in use was refused when it was new, if it is
// still the cached one.
func (f *Flow) markRejected(rejected bool) {
	if f.load(); f.current() {
		f.token.Rejected = rejected
		f.saveToken()
	}
}

// unauthorized takes a 401: the token may have been revoked, so a new one is
// tried, once.
func (f *Flow) unauthorized(a *message.Answer) Step {
	f.readClock()
	if f.marks.has(fresh) {
		return f.rejected(a)
	}
	left := f.wait()
	if f.marks.has(repeated|asked) || left > 0 {
		err := jobs.ParseResponse(a, f.secrets)
		err.RetryAfter = left
		return fail(err)
	}
	f.marks |= repeated
	f.load()
	switch {
	case f.current() || !f.cached:
		f.dropToken()
	case f.keepable():
		return f.sendToService() // another flow has renewed it
	}
	return f.ask()
}

// rejected takes the 401 that met a new token: another would fare no better.
func (f *Flow) rejected(a *message.Answer) Step {
	err := jobs.ParseResponse(a, f.secrets)
	f.loadRetry()
	failure := f.backOff(err, "")
	if f.now != 0 {
		f.markRejected(true)
	}
	return Step{Kind: Fail, Output: failure}
}
