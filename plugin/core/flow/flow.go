// Package flow is the token flow: how an instance gets a token that may be used now. It
// decides which request, which operation on the shared store and which wait comes next, and
// sends nothing itself.
package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/message"
)

// Flow is a token flow between two of its steps.
type Flow struct {
	host host.Host
	// now is the time in Unix seconds, or 0 without a usable clock, which only a direct call
	// does without.
	now      int64
	instance *instance.State
	retry    *backoff.Record // of instance
	config   *config.Client
	key      string // the cache key

	// Request is what a flow in Requesting sends.
	Request *message.Request
	// Object is the token object of the step, or nil if there is no usable token, and offered
	// what is known about that token.
	Object  []byte
	offered *instance.Token
	// Failed says that the flow ended without a token, and err why, if it did since it was resumed.
	Failed bool
	err    *apierror.Error

	progress
}

// progress is what a flow knows in addition to the vars and the config: what the host keeps
// between two steps. All of it is private to the plugin.
type progress struct {
	state State

	// The rest are the numbers of a flow, in the order of its text: see numbers and limits.

	client  int64 // the hash of the cache key, which identifies the client
	at      int64 // when the step was returned, in Unix seconds
	clears  int64 // how many clear_tokens there were when the flow began
	began   int64 // when the flow began, in Unix seconds
	mark    int64 // of the secret whose lock it last tried to add, or with which it requested a token
	locked  int64 // the mark of the secret whose lock it holds, or 0
	refused int64 // the hash of the token that the caller refused, or 0
	waited  int64 // the sum of all waits, in milliseconds
	store   int64 // how the flow uses the store
	// force, and mayPause, which says that the host waits in backoffs, are 0 or 1.
	force, mayPause int64

	// What follows begins again after a clear_token.

	// asked says how the flow's token request ended, and failure how it failed.
	asked   int64
	failure backoff.Failure
	// found is what the flow knows from the store since it last began to look there.
	found int64
	// looks counts the waits for the lock. free is 1 if no lock was held since the last one.
	looks, free int64
	wait        int64 // the length of the last wait, in milliseconds
}

// How a flow uses the store.
const (
	noStore     = iota
	storeFailed // in this flow, which continues without it
	withoutLock // it expires no lock
	withStore
)

// How the token request ended.
const (
	notAsked = iota
	obtained
	failed // or counts as failed: see refuse
)

// What a flow knows from the store.
const (
	nothing   = iota
	tokenRead // there was no better token
	held      // another instance has the lock
	busy      // and requests a token
)

// New returns a flow that has not begun, at a time in Unix seconds, or 0 without a clock.
func New(h host.Host, now int64) *Flow {
	f := &Flow{host: h, now: now}
	f.instance = instance.Decode(h.Var(instance.Summary))
	f.retry = &f.instance.Backoff
	return f
}

// shares reports whether the flow reads and writes the token in the store.
func (f *Flow) shares() bool { return f.store >= withoutLock }

func (f *Flow) save() { f.host.SetVar(instance.Summary, f.instance.Encode()) }

// Start begins the flow. In the state that it returns, Requesting or Ended if the host has no
// store, the flow has a Request, or an Object or an Error.
func (f *Flow) Start(in *input.Input) State {
	if f.settleBackoff() {
		f.save()
	}
	f.clears, f.began = f.instance.Clears, f.now
	if in.Store {
		f.store = withStore
	}
	if in.Wait {
		f.mayPause = 1
	}
	if in.Force {
		f.force = 1
	}
	if in.Refused != "" {
		f.refuse(in.Refused, in.Used)
	}
	return f.run(f.choose())
}

// Responded continues a flow in Requesting with the response at a time, or 0 if that is not
// known.
func (f *Flow) Responded(r *message.Response, now int64) State {
	if now != 0 {
		f.now = now
	}
	f.log(r.Status)
	return f.run(f.responded(r))
}

// log writes one line for a token request that got a response.
func (f *Flow) log(status int) {
	if status != 0 {
		f.host.Log(host.Debug, f.Request.Line(status))
	}
}

// run enters the state of the next step.
func (f *Flow) run(to State) State {
	f.at = f.now
	if f.enter(to); to == Choosing {
		f.enter(f.choose())
	}
	return f.state
}

// Current reports whether the step has the instance's own token, which calls may go on using.
func (f *Flow) Current() bool {
	return f.offered == &f.instance.Token && f.now < f.offered.RenewAt()
}

// Drop remembers a token as refused, for a call without a clock that gets no other one.
func (f *Flow) Drop(token string) {
	f.instance.CountRefused(instance.Hash(token))
	f.instance.Refuse(instance.Hash(token))
	f.save()
	f.Object = nil
}
