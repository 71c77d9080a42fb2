package input

import (
	"slices"

	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/fault"
	"automatic-rostering/plugin/internal/object"
)

// Begin is the input of begin.
type Begin struct {
	Call  Call
	Input []byte // of the call, as it was given
}

// ParseBegin reads the input of begin.
func ParseBegin(b []byte) (begin Begin, err *fault.Error) {
	name := ""
	err = fields{"call", "input"}.read(b, func(field string, value object.Value) *fault.Error {
		if field == "call" {
			return text(field, value, &name)
		}
		begin.Input = value
		return wantObject(field, value)
	})
	if err != nil {
		return begin, err
	}
	call, known := CallNamed(name)
	if !known {
		return begin, fault.Input("call", "call must be get_token, list_jobs or send_request")
	}
	begin.Call = call
	return begin, nil
}

func wantObject(name string, value object.Value) *fault.Error {
	if value.Kind() != object.Object {
		return fault.Input(name, name+" must be an object")
	}
	return nil
}

// Resume is the input of resume: a flow, and the answer to its request.
type Resume struct {
	Flow []byte // as begin or resume gave it
	Clock

	// Status is 0 without an answer; Failed may then say why.
	Status     int
	Failed     string
	RetryAfter string // the header
	Body       string
}

// ParseResume reads the input of resume.
func ParseResume(b []byte) (r Resume, err *fault.Error) {
	given := fields{}
	err = fields{"flow", "status", "headers", "body", "failed", "now"}.read(b, func(name string, value object.Value) *fault.Error {
		given = append(given, name)
		return r.set(name, value)
	})
	has := func(name string) bool { return slices.Contains(given, name) }
	switch {
	case err != nil:
	case !has("flow"):
		err = fault.Input("flow", "hand back the flow of the last step")
	case has("failed") && (has("status") || has("headers") || has("body")):
		err = fault.Input("failed", "failed says that no answer came; leave out status, headers and body")
	case !has("failed") && !has("status"):
		err = fault.Input("status", "hand in the answer's status, headers and body; or failed, with the reason, if none came")
	}
	return r, err
}

func (r *Resume) set(name string, value object.Value) *fault.Error {
	switch name {
	case "flow":
		r.Flow = value
		return wantObject(name, value)
	case "status":
		return r.setStatus(value)
	case "headers":
		return r.setHeaders(value)
	case "body":
		return text(name, value, &r.Body)
	case "failed":
		return text(name, value, &r.Failed)
	}
	return r.Clock.set(value)
}

func (r *Resume) setStatus(value object.Value) *fault.Error {
	if value.Kind() == object.Number {
		status, negative, whole := value.Integer(600)
		if whole && (status == 0 || !negative && status >= 100 && status <= 599) {
			r.Status = int(status)
			return nil
		}
	}
	return fault.Input("status", "status must be 0, for no answer, or a whole number from 100 to 599")
}

func (r *Resume) setHeaders(value object.Value) (err *fault.Error) {
	if err = wantObject("headers", value); err != nil {
		return err
	}
	object.Each(value, func(name string, value object.Value) bool {
		texts, ok := value.Texts()
		if !ok {
			err = fault.Input("headers", "a header's value must be text or a list of texts")
		}
		if len(texts) > 0 && ascii.Lower(name) == "retry-after" {
			r.RetryAfter = texts[0]
		}
		return ok
	})
	return err
}
