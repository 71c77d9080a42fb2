package call

import (
	"strconv"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/json"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/oauth2"
)

// appendState appends the flow as the host keeps it between two steps: no token and no
// secret, and nothing that config or the vars say. A changed one can do no more than
// its caller can do with another call.
func (f *Flow) appendState(dst []byte) []byte {
	dst = append(dst, `{"call":"`...)
	dst = append(dst, f.call.String()...)
	dst = append(dst, '"')
	if f.rawInput != nil {
		dst = append(append(dst, `,"input":`...), f.rawInput...)
	}
	dst = appendNumber(dst, `,"at":`, f.now)
	dst = appendNumber(dst, `,"token":`, int64(f.inUse))
	return append(appendNumber(dst, `,"marks":`, int64(f.marks)), '}')
}

func appendNumber(dst []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(dst, name...), n, 10)
}

// restore gives the flow as it was when it handed out its request.
func restore(host Host, r *input.Resume) (*Flow, *apierror.Error) {
	f := New(host, 0)
	f.handsOut = true
	if !f.readState(r.Flow) {
		return nil, apierror.Input("flow", "this is no flow that begin or resume gave; hand back the last one unchanged")
	}
	if r.HasNow {
		f.in.Clock = r.Clock
	}
	at := f.now
	f.load()
	f.loadRetry()
	f.readClock()
	// A token's life counts from when the request was handed out.
	f.now = min(at, f.now)
	if !clock.Usable(f.now, 0) {
		f.now = 0
	}
	return f, f.restoreRequest()
}

// readState reads what appendState wrote, and reports whether it is that.
func (f *Flow) readState(b []byte) (ok bool) {
	name := ""
	json.Value(b).Each(func(member string, value json.Value) bool {
		var n int64
		switch member {
		case "call":
			name = value.Text()
			return true
		case "input":
			f.rawInput = value
			return true
		case "at":
			n, ok = number(value, clock.Latest)
			f.now = n
		case "token":
			n, ok = number(value, 1<<16-1)
			f.inUse = uint16(n)
		case "marks":
			n, ok = number(value, int64(awaiting|asked|fresh|repeated))
			f.marks = marks(n)
		default:
			ok = false
		}
		return ok
	})
	if !ok {
		return false
	}
	var err *apierror.Error
	if f.call, ok = input.ExportNamed(name); ok {
		f.in, err = input.Parse(f.rawInput, f.call, true)
	}
	return ok && err == nil && f.marks.possible(f.call)
}

// number reads a whole number from 0 to most.
func number(value json.Value, most int64) (n int64, ok bool) {
	if value.Kind() != json.Number {
		return 0, false
	}
	n, negative, whole := value.Integer(most + 1)
	return n, whole && n <= most && (!negative || n == 0)
}

// possible reports whether a call can hand out a request with these marks.
func (m marks) possible(call input.Export) bool {
	if m.has(awaiting) {
		return m.has(asked) && !m.has(fresh)
	}
	return call != input.GetToken && (m.has(asked) || !m.has(fresh))
}

// restoreRequest reads again what the answer is judged and logged by.
func (f *Flow) restoreRequest() (err *apierror.Error) {
	switch {
	case f.marks.has(awaiting):
		if f.client, err = config.ReadClient(f.host.Config); err == nil {
			f.request = oauth2.NewTokenRequest(&f.client)
		}
	case f.call == input.SendRequest:
		if err = f.readService(); err == nil {
			f.request = message.Request{Method: f.in.Request.Method, URL: f.service.BaseURL + f.in.Request.Path}
		}
	}
	return err
}
