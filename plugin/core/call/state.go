package call

// State is how far a call has progressed.
type State uint8

// The states. In all but Choosing and the last two, the call waits for the result of the step
// that it returned.
const (
	Choosing        State = iota // where the token comes from
	AwaitingCall                 // the pending call of this instance
	ReadingToken                 // get cache_key
	TakingLock                   // add cache_key:asking
	ReadingLock                  // get cache_key:asking
	AwaitingLock                 // before ReadingLock
	RequestingToken              // from the token endpoint
	WritingToken                 // set cache_key
	WritingLock                  // set cache_key:asking
	UsingToken                   // the request to the service, or the token object
	Succeeded
	Failed
)

var stateNames = [...]string{
	"choosing", "awaiting_call", "reading_token", "taking_lock", "reading_lock", "awaiting_lock",
	"requesting", "writing_token", "writing_lock", "using", "succeeded", "failed",
}

func (s State) String() string { return stateNames[s] }

// Event is what happened to a call in a state.
type Event uint8

const (
	stepReturned Event = iota // the call continues with its result
	tokenReady                // a token can be used
	callPending               // another call of this instance obtains a token
	lookInStore               // the store may have a token
	takeLock                  // of the store
	lockHeld                  // by another instance
	lockBusy                  // it still is
	lockFree                  // it no longer is
	requestToken              // from the token endpoint
	tokenToWrite              // to the store, or its refused token is to be replaced
	lockToWrite               // the lock is to show how the token request ended
	changed                   // what the call knew about the instance, or its token request failed
	waited
	written
	accepted     // by the service, or the token object is the output
	unauthorized // 401, and another token may work
	declined     // with the call's error
)

var eventNames = [...]string{
	"", "token ready", "call pending", "look in store", "take lock", "lock held", "lock busy", "lock free",
	"request token", "token to write", "lock to write", "changed", "waited", "written", "accepted", "unauthorized", "declined",
}

// A transition leads from a state to the next.
type transition struct {
	from State
	on   Event
	to   State
}

// transitions lists all that a call can do. Whatever a host passes as a flow, the call
// continues from one of these states, along one of these lines.
var transitions = [...]transition{
	{Choosing, tokenReady, UsingToken},
	{Choosing, callPending, AwaitingCall},
	{Choosing, lookInStore, ReadingToken},
	{Choosing, takeLock, TakingLock},
	{Choosing, requestToken, RequestingToken},
	{Choosing, lockToWrite, WritingLock},
	{Choosing, declined, Failed},
	{AwaitingCall, waited, Choosing},
	{ReadingToken, tokenReady, UsingToken},
	{ReadingToken, takeLock, TakingLock},
	{ReadingToken, requestToken, RequestingToken},
	{ReadingToken, changed, Choosing},
	{TakingLock, requestToken, RequestingToken},
	{TakingLock, tokenReady, UsingToken},
	{TakingLock, lockHeld, ReadingLock},
	{ReadingLock, lockBusy, AwaitingLock},
	{ReadingLock, lockFree, ReadingToken},
	{ReadingLock, requestToken, RequestingToken},
	{ReadingLock, tokenReady, UsingToken},
	{ReadingLock, changed, Choosing},
	{AwaitingLock, waited, ReadingLock},
	{AwaitingLock, tokenReady, UsingToken},
	{RequestingToken, tokenReady, UsingToken},
	{RequestingToken, tokenToWrite, WritingToken},
	{RequestingToken, lockToWrite, WritingLock},
	{RequestingToken, changed, Choosing},
	{WritingToken, lockToWrite, WritingLock},
	{WritingToken, written, Choosing},
	{WritingLock, written, Choosing},
	{UsingToken, accepted, Succeeded},
	{UsingToken, unauthorized, Choosing},
	{UsingToken, changed, Choosing},
	{UsingToken, lockToWrite, WritingLock},
	{UsingToken, declined, Failed},
}

// after returns the state to which an event leads.
func after(from State, on Event) State {
	for _, t := range transitions {
		if t.from == from && t.on == on {
			return t.to
		}
	}
	return Failed
}

// returnsStep reports whether a call in this state has returned a step, and can be resumed.
func (s State) returnsStep() bool { return s != Choosing && s < Succeeded }

// origin says where the token that a call uses comes from.
type origin = int64

const (
	isCached origin = iota
	isTaken         // by this call from the store
	isNew           // requested by this call
	isOld           // the cached token, as the call's own token request failed
)
