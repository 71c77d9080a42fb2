package call

import (
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/oauth2"
	"automatic-rostering/plugin/internal/state"
)

// glance reads what a warm call needs to know of the cached token.
func (c *Call) glance() {
	first, second, ok := c.host.Words(state.Summary)
	token, valid := state.FromWords(first, second)
	c.setToken(token, ok && valid)
}

// load reads all that is known of the cached token. Other calls of this instance may have
// changed it since the last step.
func (c *Call) load() { c.setToken(state.Decode(c.host.Var(state.Summary))) }

func (c *Call) setToken(token state.Token, ok bool) {
	c.token, c.cached, c.text = state.Token{}, false, ""
	if ok {
		c.token, c.cached = token, !token.Dropped
	}
}

// loadRetry reads the failures so far.
func (c *Call) loadRetry() { c.retry = backoff.Decode(c.host.Var(state.Retry)) }

// current reports, after load, whether the cached token is the one in use.
func (c *Call) current() bool {
	return c.cached && (c.inUse == 0 || c.token.Generation == c.inUse)
}

// keepToken makes a token the cached one. Its lifetime in seconds counts from askedAt;
// that is not believed beyond the present, and not without a clock. The summary is
// written last, so that a call that is cut off on the way leaves nothing behind that does
// not belong together. Vars are removed before they are set: a host that has no room
// left may keep the old value.
func (c *Call) keepToken(text string, askedAt, lifetime int64) {
	old := c.replace()
	c.cached, c.text = true, text
	c.token = state.Token{Generation: old.Generation + 1, Epoch: old.Epoch, Owner: ownerOf(&c.client, old.Epoch)}
	if c.now != 0 {
		askedAt = min(askedAt, c.now)
	}
	if askedAt != 0 {
		c.live(askedAt, lifetime)
	}
	c.keepObject()
	c.saveToken()
}

// live returns the cached token a lifetime.
func (c *Call) live(askedAt, lifetime int64) {
	c.token.AskedAt, c.token.Lifetime = askedAt, lifetime
	c.token.RenewAfter = lifetime - min(c.client.Margin, lifetime/2)
}

func (c *Call) keepObject() {
	c.object = oauth2.AppendToken(nil, c.text, c.token.ExpiresAt(), oauth2.CacheKey(&c.client))
	c.token.StepPrepared = false
	c.host.SetVar(state.TokenObject, nil)
	c.host.SetVar(state.TokenObject, c.object)
}

// replace takes leave of the cached token, which may still be in an answer to come.
func (c *Call) replace() (old state.Token) {
	if text := c.accessToken(); text != "" {
		r := state.Replaced{Generation: c.token.Generation, Text: text}
		c.host.SetVar(state.Previous, nil)
		c.host.SetVar(state.Previous, r.Encode())
	}
	c.host.SetVar(state.JobsRequest, nil)
	c.host.SetVar(state.TokenStep, nil)
	return c.token
}

// dropToken forgets the cached token and what was prepared with it.
func (c *Call) dropToken() {
	old := c.replace()
	c.cached, c.text = false, ""
	c.token = state.Token{Generation: old.Generation, Epoch: old.Epoch, Owner: old.Owner, Dropped: true}
	c.saveToken()
	c.host.SetVar(state.TokenObject, nil)
}

func (c *Call) saveToken() { c.host.SetVar(state.Summary, c.token.Encode()) }

// accessToken returns the cached token, or "".
func (c *Call) accessToken() string {
	if c.text == "" && c.cached {
		c.text = oauth2.AccessToken(c.host.Var(state.TokenObject))
	}
	return c.text
}

// tokenInUse returns the token in the request to the service, or "" if it is not known
// any more.
func (c *Call) tokenInUse() string {
	if c.current() {
		return c.accessToken()
	}
	if old := c.previous(); old.Generation == c.inUse {
		return old.Text
	}
	return ""
}

func (c *Call) previous() state.Replaced {
	return state.DecodeReplaced(c.host.Var(state.Previous))
}

// nothingKnown hides a text from others as a whole: as a secret it is too short to be
// searched for.
var nothingKnown = []string{"?"}

// secrets is what must not stand in an error: the client's secret and every token of
// this call. Where one of them is not known any more, nothing of a text may be shown.
func (c *Call) secrets() []string {
	if !c.knowsTokens() {
		return nothingKnown
	}
	return []string{c.host.Config("client_secret"), c.accessToken(), c.previous().Text, c.in.Refused}
}

// knowsTokens reports whether the tokens of this call are still known.
func (c *Call) knowsTokens() bool {
	if c.stale() || c.state.using() && c.inUse != 0 && c.tokenInUse() == "" {
		return false
	}
	return c.refused == 0 || c.in.Refused != "" ||
		c.refused == hash(c.accessToken()) || c.refused == hash(c.previous().Text)
}

// stale reports whether the call began before a clear_token, or as another client.
func (c *Call) stale() bool { return c.owner != 0 && c.state.using() && c.owner != c.token.Owner }

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

// usePrepared returns the request to the service, or the token object, as it was prepared,
// without a copy of it.
func (c *Call) usePrepared() bool {
	c.step.Kind = GiveHeld
	switch {
	case c.export == input.GetToken && c.inSteps:
		return c.token.StepPrepared && c.host.Hold(state.TokenStep)
	case c.export == input.GetToken:
		return c.host.Hold(state.TokenObject)
	case !c.inSteps:
		c.step.Kind = SendHeld
	}
	return c.export == input.ListJobs && c.refused == 0 && c.prepared() && c.host.Hold(state.JobsRequest)
}

// form is that in which this call's request is prepared.
func (c *Call) form() state.Prepared {
	if c.inSteps {
		return state.ForStep + state.Prepared(c.accepts)
	}
	return state.ForRequest
}

// prepared reports whether the prepared request is one for this call.
func (c *Call) prepared() bool {
	ids := c.in.IDs()
	return c.token.Prepared == c.form() && c.token.ForInput == (ids != "") && !(c.inSteps && c.token.Rejected) &&
		(ids == "" || string(c.host.Var(state.JobsIDs)) == ids)
}

// prepareJobs keeps the request under way for the next calls.
func (c *Call) prepareJobs() {
	if c.inSteps && c.token.Rejected {
		return
	}
	c.host.SetVar(state.JobsRequest, nil)
	ids := c.in.IDs()
	c.token.Prepared, c.token.ForInput = c.form(), ids != ""
	if ids != "" {
		c.host.SetVar(state.JobsIDs, []byte(ids))
	}
	c.host.SetVar(state.LogLine, []byte(c.request.Line(200)))
	c.saveToken()
	if c.inSteps {
		c.host.SetVar(state.JobsRequest, c.warmStep())
	} else {
		c.host.SetVar(state.JobsRequest, c.request.AppendJSON(nil))
	}
}

// prepareTokenStep keeps the step that begin gives for a get_token.
func (c *Call) prepareTokenStep(object []byte) {
	if !c.inSteps {
		return
	}
	c.host.SetVar(state.TokenStep, nil)
	c.token.StepPrepared = true
	c.saveToken()
	c.host.SetVar(state.TokenStep, appendDone(object))
}
