package flow

// State is how far a flow has progressed.
type State uint8

// The states. In all but Choosing and the last two, the flow waits for the result of the step
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
	Done
	Failed
)

var stateNames = [...]string{
	"choosing", "reading_token", "taking_lock", "reading_lock", "waiting",
	"requesting", "writing_token", "writing_lock", "done", "failed",
}

func (s State) String() string { return stateNames[s] }

// Event is what happened to a flow in a state.
type Event uint8

const (
	stepReturned Event = iota // the flow continues with its result
	lookInStore
	takeLock
	lockHeld
	requestToken
	lockToWrite
	toWait
	tokenReady
	declined
	read
	tried
	lockRead
	waited
	tokenToWrite
	ended
	written
)

// A transition leads from a state to the next.
type transition struct {
	from State
	on   Event
	to   State
}

// transitions lists all that a flow can do. Whatever a host passes as a flow, it continues
// from one of these states, along one of these lines.
var transitions = [...]transition{
	{Choosing, lookInStore, ReadingToken},
	{Choosing, takeLock, TakingLock},
	{Choosing, lockHeld, ReadingLock},
	{Choosing, requestToken, Requesting},
	{Choosing, lockToWrite, WritingLock},
	{Choosing, toWait, Waiting},
	{Choosing, tokenReady, Done},
	{Choosing, declined, Failed},
	{ReadingToken, read, Choosing},
	{TakingLock, tried, Choosing},
	{ReadingLock, lockRead, Choosing},
	{Waiting, waited, Choosing},
	{Requesting, tokenToWrite, WritingToken},
	{Requesting, ended, Choosing},
	{WritingToken, written, Choosing},
	{WritingLock, written, Choosing},
}

// after returns the state to which an event leads.
func after(from State, on Event) State {
	for _, t := range transitions {
		if t.from == from && t.on == on {
			return t.to
		}
	}
	panic("flow: no such transition")
}

// returnsStep reports whether a flow in this state has returned a step, and can be resumed.
func (s State) returnsStep() bool { return s > Choosing && s < Done }

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
