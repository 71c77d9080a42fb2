// Package flow decides which request comes next in a call, and when the call is
// done. It sends nothing: a host sends the requests and hands back the answers.
package call

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/state"
)

// Flow is one call under way.
type Flow struct {
	host Host
	call input.Export
	in   input.Input
	// handsOut says that the host sends the requests itself, by begin and resume;
	// rawInput is then the input, as it was given.
	handsOut bool
	rawInput []byte
	// now is the last reading of the clock, in Unix seconds, or 0 if it cannot be
	// trusted.
	now int64

	cached bool        // a token is cached
	token  state.Token // and this is known of it
	text   string      // the access token, where this call has read or obtained it
	old    string      // the access token that this call dropped

	client  config.Client
	service config.Service
	retry   backoff.Record
	request message.Request // the one under way, unless it is the held one

	marks   marks
	inUse   uint16 // generation of the token in the request to the service
	failure []byte // why the token request failed
}

// marks are how far a call has come.
type marks uint8

const (
	awaiting marks = 1 << iota // the answer to a token request comes next
	asked                      // a token request has left in this call
	fresh                      // the token in use was obtained in this call
	repeated                   // the request to the service is a repeat after a 401
)

// has reports whether any of these marks is set.
func (m marks) has(any marks) bool { return m&any != 0 }

// New is a call that has not begun.
func New(host Host, call input.Export) *Flow { return &Flow{host: host, call: call} }

// Begin reads the input and gives the first step.
func (f *Flow) Begin(rawInput []byte) Step {
	in, err := input.Parse(rawInput, f.call, f.handsOut)
	if err != nil {
		return fail(err)
	}
	f.in = in
	f.load()
	f.readClock()
	if f.now == 0 {
		if f.call == input.GetToken {
			return fail(&apierror.Error{Code: apierror.ClockUnusable,
				Message: "the host's clock is not set; give the plugin a real clock, or now (Unix seconds) in the input"})
		}
		f.host.Log(Warn, "no usable clock: the token is used until the service refuses it; give the plugin a real clock, or now in the input")
	}
	if f.cached && !in.Force && f.keepable() {
		return f.use()
	}
	return f.ask()
}

// Resume takes the answer to the request of the last step and gives the next.
func (f *Flow) Resume(a *message.Answer) Step {
	if f.marks.has(awaiting) {
		return f.tokenAnswered(a)
	}
	return f.serviceAnswered(a)
}

// keepable reports whether the cached token needs no renewal yet.
func (f *Flow) keepable() bool {
	switch {
	case f.now == 0:
		return true
	case !f.token.ExpiryKnown():
		return f.call != input.GetToken // its caller is told when it expires
	default:
		return f.now < f.token.AskedAt+f.token.RenewAfter
	}
}

// alive reports whether a token is cached that is known to be valid still.
func (f *Flow) alive() bool {
	return f.cached && f.now != 0 && f.now < f.token.ExpiresAt()
}

// use goes on with the cached token.
func (f *Flow) use() Step {
	if f.call != input.GetToken {
		return f.sendToService()
	}
	if f.host.Hold(state.TokenObject) {
		return Step{Kind: GiveHeld}
	}
	return f.lost()
}

// lost goes on where the cached token is gone from its var: a host may have run
// out of room for vars.
func (f *Flow) lost() Step {
	f.cached = false
	if f.marks.has(asked) {
		return Step{Kind: Fail, Output: f.failure}
	}
	return f.ask()
}

func (f *Flow) readClock() {
	f.now = f.in.Now
	if !f.in.HasNow {
		f.now = f.host.Now()
	}
	if !clock.Usable(f.now, f.token.AskedAt) {
		f.now = 0
	}
}

// log is one debug line for a request that was answered.
func (f *Flow) log(status int) {
	switch {
	case status == 0:
	case f.request.Method != "":
		f.host.Log(Debug, message.Line(f.request.Method, status, f.request.Target()))
	case status == 200:
		f.host.LogVar(state.LogLine)
	default: // of the prepared request only this line is kept
		line := string(f.host.Var(state.LogLine))
		f.host.Log(Debug, message.WithStatus(line, status))
	}
}

func fail(err *apierror.Error) Step {
	return Step{Kind: Fail, Output: err.AppendJSON(nil)}
}
