package call

import (
	"automatic-rostering/plugin/core/json"
	"strconv"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/jobs"
	"automatic-rostering/plugin/core/message"
)

// Begin implements the export begin: it begins a call whose steps the host carries out. The
// output is a step of the contract, a JSON object.
func Begin(host Host, rawInput []byte) *Step {
	begin, err := input.ParseBegin(rawInput)
	if err != nil {
		return fail(err)
	}
	c := New(host, begin.Export)
	c.inSteps, c.accepts, c.rawInput = true, begin.Accepts, input.Keep(begin.Input)
	c.first, c.renews = true, begin.Renews
	return c.encode(c.Begin(begin.Input))
}

// Resume implements the export resume: it continues a call with the result of its step.
func Resume(host Host, rawInput []byte) *Step {
	r, err := input.ParseResume(rawInput)
	if err != nil {
		return fail(err)
	}
	c, err := restore(host, &r)
	if err != nil {
		return fail(err)
	}
	if wrong := c.misfit(r.Given); wrong != "" {
		return fail(apierror.Input(wrong, "the result does not fit the step; check "+wrong))
	}
	return c.encode(c.run(c.take(&r)))
}

// take processes the result of the call's step, and returns the event that follows.
func (c *Call) take(r *input.Resume) Event {
	if c.outdated {
		return c.beginAnew()
	}
	switch c.state {
	case AwaitingCall:
		return c.callAwaited()
	case AwaitingLock:
		return c.lockAwaited()
	case RequestingToken:
		return c.tokenResponded(c.response(r))
	case UsingToken:
		return c.serviceResponded(c.response(r), !r.Unrepeatable)
	}
	return c.storeResponded(r)
}

// beginAnew drops what the call did before clear_token, except that the service refused a token,
// and how its token request failed.
func (c *Call) beginAnew() Event {
	c.endPending()
	if c.failure != nil {
		return c.declineWith(c.failure)
	}
	c.reset()
	c.state, c.owner = Choosing, 0
	return c.choose()
}

// misfit returns the field that is missing from the result of the call's step, or that does
// not belong there, or "".
func (c *Call) misfit(given input.Given) string {
	if given&input.GivenRepeatable != 0 && c.state != UsingToken {
		return "repeatable"
	}
	switch c.state {
	case AwaitingCall, AwaitingLock:
		if given != 0 {
			return "flow"
		}
	case ReadingToken, ReadingLock:
		if given != input.GivenValue && given != input.GivenFailed {
			return "value"
		}
	case TakingLock:
		if given != input.GivenAdded && given != input.GivenFailed {
			return "added"
		}
	case WritingToken, WritingLock:
		if given != 0 && given != input.GivenFailed {
			return "flow"
		}
	default:
		if given&(input.GivenStatus|input.GivenFailed) == 0 {
			return "status"
		}
	}
	return ""
}

// response returns the response to the call's request. If the tokens of the call are no longer
// known, it has no body: nothing from outside can be shown.
func (c *Call) response(r *input.Resume) *message.Response {
	response := &message.Response{Status: r.Status, Reason: r.Failed, RetryAfter: r.RetryAfter}
	if c.state == UsingToken && (r.Given&input.GivenBody == 0 || !c.knowsTokens()) {
		return response
	}
	response.Size = len(r.Body)
	response.Load = func(most int) []byte { return []byte(r.Body[:min(most, len(r.Body))]) }
	if c.state == UsingToken && response.Size > jobs.MaxBody {
		response.Size++ // there may be more, with the rest of a secret that begins here
	}
	return response
}

// encode encodes a step as JSON for the host, with the flow if the call continues.
func (c *Call) encode(step *Step) *Step {
	var text []byte
	switch step.Kind {
	case Fail, GiveHeld:
		return step
	case Send:
		text = c.encodeRequest(c.state == UsingToken && c.accepts != input.AcceptsNothing && c.needsNoResume(), false)
	case Wait:
		text = append(text, `{"step":"wait","for":"`...)
		if c.state == AwaitingCall {
			text = append(text, `call","seconds":`...)
		} else {
			text = append(text, `store","seconds":`...)
		}
		text = append(c.appendFlow(appendSeconds(text, step.Pause), false), '}')
	case Store:
		text = append(appendOp(c.appendFlow([]byte(`{"step":"store","timeout":1`), false), &step.Op), '}')
	case Give:
		text = c.appendDone(step.Output, false)
	default:
		text = []byte(`{"step":"done"} `) // 16 bytes: two words, which are copied without overlap
	}
	step.Kind, step.Output = Give, text
	return step
}

func (c *Call) appendDone(output []byte, prepared bool) []byte {
	text := append([]byte(`{"step":"done","output":`), output...)
	return append(c.appendUntil(c.appendRenew(text, prepared), prepared), '}')
}

// appendUntil appends until when begin returns the same step for the same input.
func (c *Call) appendUntil(text []byte, prepared bool) []byte {
	if prepared && c.token.ExpiryKnown() || c.first && c.keepable() {
		text = strconv.AppendInt(append(text, `,"until":`...), c.token.RenewAt(), 10)
	}
	return text
}

// appendRenew appends renew, if the host is to renew the token in the background.
func (c *Call) appendRenew(text []byte, prepared bool) []byte {
	if c.renew && !prepared {
		text = append(text, `,"renew":true`...)
	}
	return text
}

// keepable reports whether the call uses the cached token, and would until a known time.
func (c *Call) keepable() bool {
	return c.origin == isCached && c.now != 0 && c.token.ExpiryKnown() && c.now < c.token.RenewAt()
}

// encodeRequest encodes a step that sends the request. A prepared one is what begin returns
// as long as the token of the request is the cached one.
func (c *Call) encodeRequest(last, prepared bool) []byte {
	text := []byte(`{"step":"request","for":"`)
	if c.state == UsingToken {
		text = append(text, `service"`...)
	} else {
		text = append(text, `token","timeout":20,"limit":262145`...)
	}
	if last {
		text = c.appendUntil(append(text, `,"last":true`...), prepared)
	}
	text = c.appendRenew(text, prepared)
	text = c.appendFlow(text, prepared)
	text = c.request.AppendWithBody(append(text, `,"request":`...))
	return append(text, '}')
}

func appendSeconds(dst []byte, milliseconds int64) []byte {
	dst = strconv.AppendInt(dst, milliseconds/1000, 10)
	rest := strconv.Itoa(int(1000 + milliseconds%1000))
	return append(append(dst, '.'), rest[1:]...)
}

func appendOp(dst []byte, op *Op) []byte {
	dst = append(dst, `,"op":"`...)
	dst = append(dst, op.Name...)
	dst = json.AppendString(append(dst, `","key":`...), op.Key)
	if op.Value == "" {
		return dst
	}
	dst = json.AppendString(append(dst, `,"value":`...), op.Value)
	return strconv.AppendInt(append(dst, `,"ttl":`...), op.TTL, 10)
}
