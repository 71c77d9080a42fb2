package input

import (
	"slices"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/json"
)

// Begin is the input of begin.
type Begin struct {
	Export Export
	Input  []byte // of the call, as it was given
}

// ParseBegin reads the input of begin.
func ParseBegin(b []byte) (begin Begin, err *apierror.Error) {
	name := ""
	err = fields{"call", "input"}.read(b, func(field string, value json.Value) *apierror.Error {
		if field == "call" {
			return text(field, value, &name)
		}
		begin.Input = value
		return wantObject(field, value)
	})
	if err != nil {
		return begin, err
	}
	export, known := ExportNamed(name)
	if !known {
		return begin, apierror.Input("call", "call must be get_token, list_jobs or send_request")
	}
	begin.Export = export
	return begin, nil
}

func wantObject(name string, value json.Value) *apierror.Error {
	if value.Kind() != json.Object {
		return apierror.Input(name, name+" must be an object")
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
func ParseResume(b []byte) (r Resume, err *apierror.Error) {
	given := fields{}
	err = fields{"flow", "status", "headers", "body", "failed", "now"}.read(b, func(name string, value json.Value) *apierror.Error {
		given = append(given, name)
		return r.set(name, value)
	})
	has := func(name string) bool { return slices.Contains(given, name) }
	switch {
	case err != nil:
	case !has("flow"):
		err = apierror.Input("flow", "hand back the flow of the last step")
	case has("failed") && (has("status") || has("headers") || has("body")):
		err = apierror.Input("failed", "failed says that no answer came; leave out status, headers and body")
	case !has("failed") && !has("status"):
		err = apierror.Input("status", "hand in the answer's status, headers and body; or failed, with the reason, if none came")
	}
	return r, err
}

func (r *Resume) set(name string, value json.Value) *apierror.Error {
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

func (r *Resume) setStatus(value json.Value) *apierror.Error {
	if value.Kind() == json.Number {
		status, negative, whole := value.Integer(600)
		if whole && (status == 0 || !negative && status >= 100 && status <= 599) {
			r.Status = int(status)
			return nil
		}
	}
	return apierror.Input("status", "status must be 0, for no answer, or a whole number from 100 to 599")
}

func (r *Resume) setHeaders(value json.Value) (err *apierror.Error) {
	if err = wantObject("headers", value); err != nil {
		return err
	}
	json.Each(value, func(name string, value json.Value) bool {
		texts, ok := value.Texts()
		if !ok {
			err = apierror.Input("headers", "a header's value must be text or a list of texts")
		}
		if len(texts) > 0 && ascii.Lower(name) == "retry-after" {
			r.RetryAfter = texts[0]
		}
		return ok
	})
	return err
}
