package model

import "fmt"

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
	Invariant string // which
	Detail    string

	actions []action
	profile profile
}

// String describes an action in one line.
func (a *action) String() string {
	text := fmt.Sprintf("%s on %d", a.do, a.at)
	if a.pass > 0 {
		text = fmt.Sprintf("%d s later: %s", a.pass, text)
	}
	switch a.do {
	case "begin":
		text += fmt.Sprintf(": %d %s accepts %s %s", a.id, a.name, a.accepting(), a.more)
	case "resume":
		text += fmt.Sprintf(": %d", a.call)
		if a.id != 0 {
			text += fmt.Sprintf(", %d steps back, as %d", a.back, a.id)
		}
		if a.member != "" {
			text += fmt.Sprintf(", forged %s=%s", a.member, a.value)
		}
		if a.result != nil {
			text += fmt.Sprintf(" with %.300s", a.raw)
		}
	case "drop":
		text += fmt.Sprintf(": %d", a.call)
	default:
		text += fmt.Sprintf(" %s %d", a.name, a.num)
	}
	if a.text != "" {
		text += " " + a.text
	}
	if a.noNow {
		text += ", without now"
	}
	return text
}
