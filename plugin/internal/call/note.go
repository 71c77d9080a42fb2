package call

import "automatic-rostering/plugin/internal/state"

// readNote reads what the calls of this instance know of each other.
func (c *Call) readNote() state.Note {
	if !c.single() {
		return state.Note{}
	}
	return state.DecodeNote(c.host.Var(state.Pending))
}

// The longest that a note holds without another step of its call, in seconds: a wait is
// short, and its caller may leave.
const (
	noteHolds    = 30
	pauseIsNoted = 3
)

// takeNote notes that this call obtains a token.
func (c *Call) takeNote(note state.Note) {
	if !c.single() {
		return
	}
	note.ID++
	c.note, c.waits, c.foundFree = note.ID, 0, false
	c.writeNote(note, noteHolds)
}

// holdNote keeps the note for as long as the next step may take, if it is this call's.
func (c *Call) holdNote(seconds int64) {
	if note := c.readNote(); note.ID == c.note && c.note != 0 {
		c.writeNote(note, seconds)
	}
}

func (c *Call) writeNote(note state.Note, seconds int64) {
	note.Until = c.now + seconds
	c.host.SetVar(state.Pending, note.Encode())
}

// endNote tells the other calls of this instance that they need not wait any more.
func (c *Call) endNote() {
	if note := c.readNote(); note.ID == c.note && note.Until != 0 {
		note.Until = 0
		c.host.SetVar(state.Pending, note.Encode())
	}
}
