package call

import (
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/oauth2"
	"automatic-rostering/plugin/internal/state"
)

// load reads what is known of the cached token. Other flows on this instance may have
// changed it since the last step.
func (f *Flow) load() {
	first, second, ok := f.host.Words(state.Summary)
	token, valid := state.FromWords(first, second)
	f.token, f.cached, f.text = state.Token{}, false, ""
	if ok && valid {
		f.token, f.cached = token, !token.Dropped
	}
}

// loadRetry reads the failures so far.
func (f *Flow) loadRetry() { f.retry = backoff.Decode(f.host.Var(state.Retry)) }

// current reports, after load, whether the cached token is the one in use.
func (f *Flow) current() bool { return f.cached && f.token.Generation == f.inUse }

// storeToken keeps a new token. The summary is written last, so that a call that is
// cut off on the way leaves nothing behind that does not belong together. Vars are
// removed before they are set: a host that has no room left may keep the old value.
func (f *Flow) storeToken(object []byte) {
	f.host.SetVar(state.JobsRequest, nil)
	f.host.SetVar(state.TokenObject, nil)
	f.host.SetVar(state.TokenObject, object)
	f.saveToken()
}

// prepare keeps the request under way for the next calls.
func (f *Flow) prepare() {
	f.host.SetVar(state.JobsRequest, nil)
	f.token.Prepared = state.ForConfig
	if ids := f.in.IDs(); ids != "" {
		f.token.Prepared = state.ForInput
		f.host.SetVar(state.JobsIDs, []byte(ids))
	}
	f.host.SetVar(state.LogLine, []byte(message.Line(f.request.Method, 200, f.request.Target())))
	f.saveToken()
	f.host.SetVar(state.JobsRequest, f.request.AppendJSON(nil))
}

// dropToken forgets the token and what was prepared with it.
func (f *Flow) dropToken() {
	f.old = f.accessToken()
	f.cached, f.text = false, ""
	f.token = state.Token{Generation: f.token.Generation, Dropped: true}
	f.saveToken()
	f.host.SetVar(state.JobsRequest, nil)
	f.host.SetVar(state.TokenObject, nil)
}

func (f *Flow) saveToken() { f.host.SetVar(state.Summary, f.token.Encode()) }

// accessToken gives the token in use, or "".
func (f *Flow) accessToken() string {
	if f.text == "" && f.cached {
		f.text = oauth2.AccessToken(f.host.Var(state.TokenObject))
	}
	return f.text
}

// secrets is what must not stand in an error: the client's secret and every token
// of this call.
func (f *Flow) secrets() []string {
	return []string{f.host.Config("client_secret"), f.accessToken(), f.old}
}
