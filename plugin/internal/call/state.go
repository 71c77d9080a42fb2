package call

// State is how far a call has come.
type State uint8

// The states. In those that end in -ing, but Choosing and FallingBack, the call has
// handed out a step and waits for its result.
const (
	Choosing         State = iota // what to do for a token
	AwaitingCall                  // until another call of this instance has obtained one
	ReadingToken                  // get cache_key
	TakingLock                    // add cache_key:asking
	ReadingLock                   // get cache_key:asking
	AwaitingLock                  // before ReadingLock
	AwaitingToken                 // before ReadingToken
	RequestingToken               // from the token endpoint
	WritingToken                  // set cache_key
	WritingDone                   // set cache_key:asking, to done
	WritingFailure                // set cache_key:asking, to failed: the token request failed
	WritingRejection              // the same: the service refused the new token
	FallingBack                   // no new token: to the old one, if it is still valid
	UsingCached                   // the cached token
	UsingTaken                    // a token that this call took from the store
	UsingNew                      // a token that this call requested
	UsingOld                      // the cached token, as there was no new one
	Succeeded
	Failed
)

var stateNames = [...]string{
	"choosing", "awaiting_call", "reading_token", "taking_lock", "reading_lock", "awaiting_lock", "awaiting_token",
	"requesting", "writing_token", "writing_done", "writing_failure", "writing_rejection", "falling_back",
	"cached", "taken", "new", "old", "succeeded", "failed",
}

func (s State) String() string { return stateNames[s] }

// Event is what a call met in a state.
type Event uint8

const (
	handedOut       Event = iota // a step: the call goes on with its result
	tokenValid                   // the cached token can be used
	callPending                  // another call of this instance obtains a token
	storeFirst                   // the store may have a token
	lockFirst                    // the lock is to be taken
	lockHeld                     // by another instance
	lockBusy                     // it still is
	lockFree                     // it no longer is
	lockFreeTwice                // nor was it before, and yet there was no token
	requestNext                  // a token is to be requested
	tokenTaken                   // from the store
	tokenNew                     // from the token endpoint
	tokenToWrite                 // the same, and the store is to have it
	tokenShortLived              // the same, but too short for the store
	lockToWrite                  // the lock is to tell how the token request ended
	noToken                      // and none can be had now
	waited
	written
	accepted     // by the service, or the token object is the output
	unauthorized // 401, and another token may do
	evicted      // the cached token is gone from its var
	declined     // the call's error
)

var eventNames = [...]string{
	"", "token valid", "call pending", "look into the store", "take the lock", "lock held", "lock busy", "lock free",
	"lock free again", "request a token", "token found", "token obtained", "token to share", "token too short-lived to share", "lock to update", "no token",
	"waited", "written", "accepted", "401", "token evicted", "error",
}

// A transition leads from a state to the next.
type transition struct {
	from State
	on   Event
	to   State
}

// transitions are all that a call can do. Whatever a host hands back as a flow, it goes
// on from one of these states, and by one of these lines.
var transitions = [...]transition{
	{Choosing, tokenValid, UsingCached},
	{Choosing, callPending, AwaitingCall},
	{Choosing, storeFirst, ReadingToken},
	{Choosing, lockFirst, TakingLock},
	{Choosing, requestNext, RequestingToken},
	{Choosing, noToken, FallingBack},
	{Choosing, declined, Failed},
	{AwaitingCall, waited, Choosing},
	{ReadingToken, tokenTaken, UsingTaken},
	{ReadingToken, lockFirst, TakingLock},
	{ReadingToken, noToken, FallingBack},
	{ReadingToken, requestNext, RequestingToken},
	{TakingLock, requestNext, RequestingToken},
	{TakingLock, tokenValid, UsingCached},
	{TakingLock, lockHeld, ReadingLock},
	{ReadingLock, lockBusy, AwaitingLock},
	{ReadingLock, lockFree, ReadingToken},
	{ReadingLock, lockFreeTwice, AwaitingToken},
	{ReadingLock, noToken, FallingBack},
	{ReadingLock, requestNext, RequestingToken},
	{AwaitingLock, waited, ReadingLock},
	{AwaitingToken, waited, ReadingToken},
	{RequestingToken, tokenNew, UsingNew},
	{RequestingToken, tokenToWrite, WritingToken},
	{RequestingToken, tokenShortLived, WritingDone},
	{RequestingToken, lockToWrite, WritingFailure},
	{RequestingToken, noToken, FallingBack},
	{WritingToken, lockToWrite, WritingDone},
	{WritingToken, written, UsingNew},
	{WritingDone, written, UsingNew},
	{WritingFailure, written, FallingBack},
	{WritingRejection, written, Failed},
	{FallingBack, tokenValid, UsingOld},
	{FallingBack, noToken, Failed},
	{UsingCached, accepted, Succeeded},
	{UsingCached, unauthorized, Choosing},
	{UsingCached, evicted, Choosing},
	{UsingCached, declined, Failed},
	{UsingTaken, accepted, Succeeded},
	{UsingTaken, unauthorized, Choosing},
	{UsingTaken, declined, Failed},
	{UsingNew, accepted, Succeeded},
	{UsingNew, lockToWrite, WritingRejection},
	{UsingNew, declined, Failed},
	{UsingOld, accepted, Succeeded},
	{UsingOld, declined, Failed},
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

// using reports whether the call has a token in this state.
func (s State) using() bool { return s >= UsingCached && s <= UsingOld }

// handsOut reports whether a call hands out a step in this state, and so may be asked
// to go on from it.
func (s State) handsOut() bool { return s != Choosing && s != FallingBack && s < Succeeded }
