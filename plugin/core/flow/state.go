package flow

import "slices"

// State is how far a flow has progressed.
type State uint8

// The states. In all but Choosing and Ended, the flow waits for the result of the step
// that it returned.
const (
	Choosing     State = iota // what to do next: see choose
	ReadingToken              // get CACHE_KEY
	TakingLock                // add the lock
	ReadingLock               // get the lock
	Waiting                   // for the lock, or until a backoff ends
	Requesting                // from the token endpoint
	WritingToken              // set CACHE_KEY
	WritingLock               // set the lock
	Ended                     // with a token or an error
)

// next lists all that a flow can do: the states that follow each. Whatever a host passes as a flow,
// it continues from one of these states, to one that follows.
var next = [...][]State{
	Choosing:     {ReadingToken, TakingLock, ReadingLock, Waiting, Requesting, WritingLock, Ended},
	ReadingToken: {Choosing},
	TakingLock:   {Choosing},
	ReadingLock:  {Choosing},
	Waiting:      {Choosing},
	Requesting:   {Choosing, WritingToken},
	WritingToken: {Choosing},
	WritingLock:  {Choosing},
	Ended:        {},
}

// enter changes the state, by the table of transitions.
func (f *Flow) enter(to State) {
	if !slices.Contains(next[f.state], to) {
		panic("flow: no such transition")
	}
	f.state = to
}

// returnsStep reports whether a flow in this state has returned a step, and can be resumed.
func (s State) returnsStep() bool { return s > Choosing && s < Ended }

// usesStore reports whether that step is an operation on the store.
func (s State) usesStore() bool { return s.returnsStep() && s != Requesting && s != Waiting }

// operation returns the name of that operation.
func (s State) operation() string {
	switch s {
	case TakingLock:
		return "add"
	case WritingToken, WritingLock:
		return "set"
	}
	return "get"
}
