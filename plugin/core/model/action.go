//go:build !tinygo

package model

// action is one thing that happens. A run is a sequence of them. Any of them can be removed, and
// the others still make sense, so that a failing sequence can be shrunk. One that has become
// impossible is skipped.
type action struct {
	id   int    // of the call that it begins, or the branch that it makes
	do   string // see World.act
	pass int64  // seconds that pass before

	at   int    // the instance
	call int    // the call to resume, drop …
	back int    // resume the flow of so many steps before
	name string // of an export, a config, a client
	more string // members of the input
	text string // a token
	num  int64

	accepts int
	renews  bool    // the host accepts renew, too
	noNow   bool    // now is omitted
	result  *result // what is passed, instead of the result from the surroundings
	raw     string  // and its members
	member  string  // of the flow, that is forged
	value   string  // and its new value; "" removes it
}

// Finding is an invariant that did not hold.
type Finding struct {
	Seed      uint64
	Step      int    // of the run, at which it did not hold
	Invariant string // which
	Detail    string
	Actions   []string // the shortest sequence that shows it
	Scenario  string

	actions []action
	profile profile
}

// Signature returns the kind of defect: findings with the same signature most likely have the
// same cause.
func (f *Finding) Signature() string { return f.Invariant }
