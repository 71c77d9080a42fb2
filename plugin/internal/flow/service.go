package flow

import (
	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/fault"
	"automatic-rostering/plugin/internal/jobs"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/state"
)

// readService reads the config of the service, once in a call.
func (f *Flow) readService() (err *fault.Error) {
	if f.service.BaseURL != "" {
		return nil
	}
	f.service, err = config.ReadService(f.host.Config, &f.in)
	return err
}

// sendJobs sends the /jobs request: the prepared one if it fits, else one that is
// prepared for the next calls too.
func (f *Flow) sendJobs() Step {
	f.request, f.inUse = message.Request{}, f.token.Generation
	if f.prepared() && f.host.Hold(state.JobsRequest) {
		return Step{Kind: SendHeld}
	}
	if err := f.readService(); err != nil {
		return fail(err)
	}
	text := f.accessToken()
	if text == "" {
		return f.lost()
	}
	f.request = jobs.NewRequest(&f.service, text)
	f.prepare()
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
	if f.repeated {
		f.host.Log(Warn, "the service refused the token; a new one was accepted")
	}
	switch {
	case f.token.Rejected:
		f.host.SetVar(state.Retry, nil)
		f.markRejected(false)
	case f.fresh && f.retry.Failures > 0:
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
	if f.fresh {
		return f.rejected(a)
	}
	left := f.wait()
	if f.repeated || f.asked || left > 0 {
		err := jobs.ParseResponse(a, f.secrets)
		err.RetryAfter = left
		return fail(err)
	}
	f.repeated = true
	f.load()
	switch {
	case f.current() || !f.cached:
		f.dropToken()
	case f.keepable():
		return f.sendJobs() // another flow has renewed it
	}
	return f.ask()
}

// rejected takes the 401 that met a new token: another would fare no better.
func (f *Flow) rejected(a *message.Answer) Step {
	err := jobs.ParseResponse(a, f.secrets)
	f.wait() // for the failures so far
	failure := f.backOff(err, "")
	if f.now != 0 {
		f.markRejected(true)
	}
	return Step{Kind: Fail, Output: failure}
}
