package input

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/json"
)

// Resume is the input of resume: a flow, and the result of its step.
type Resume struct {
	Flow json.Value // as begin or resume returned it
	Clock

	Given Given // of the fields below

	// Status is 0 without a response; Failed may then have the reason.
	Status     int
	Failed     string
	RetryAfter string // the header
	Body       string
	// Unrepeatable says that the host cannot send the request again after a 401.
	Unrepeatable bool

	Value     string // of a key in the store
	ValueNull bool   // the key does not exist
	Added     bool
}

// Given is the set of resume's fields that were passed.
type Given uint8

const (
	GivenStatus Given = 1 << iota
	GivenHeaders
	GivenBody
	GivenRepeatable
	GivenFailed // this and the following exclude each other and those above
	GivenValue
	GivenAdded
)

// ParseResume reads the input of resume. It does not check whether the result fits the
// call's step.
func ParseResume(b []byte) (r Resume, err *apierror.Error) {
	err = fields{"flow", "status", "headers", "body", "repeatable", "failed", "value", "added", "now"}.read(b, r.set)
	if err != nil {
		return r, err
	}
	switch {
	case r.Flow == nil:
		err = apierror.Input("flow", "pass the flow of the last step")
	case r.Given&GivenRepeatable != 0 && r.Status != 401:
		err = apierror.Input("repeatable", "pass repeatable only with a 401 of the service")
	case r.Given >= GivenFailed && r.Given&(r.Given-1) != 0: // one of the last three, and another
		err = apierror.Input(r.Given.lone(), "pass one of failed, value and added, with nothing but flow and now")
	case r.Given&(GivenHeaders|GivenBody) != 0 && r.Given&GivenStatus == 0:
		err = apierror.Input("status", "pass the response's status, headers and body, or failed with a reason")
	}
	return r, err
}

// lone returns the first field that excludes others.
func (g Given) lone() string {
	switch {
	case g&GivenFailed != 0:
		return "failed"
	case g&GivenValue != 0:
		return "value"
	}
	return "added"
}

func (r *Resume) set(name string, value json.Value) *apierror.Error {
	switch name {
	case "flow":
		r.Flow = value
		return wantObject(name, value)
	case "status":
		r.Given |= GivenStatus
		return r.setStatus(value)
	case "headers":
		r.Given |= GivenHeaders
		return r.setHeaders(value)
	case "body":
		r.Given |= GivenBody
		return text(name, value, &r.Body)
	case "repeatable":
		r.Given |= GivenRepeatable
		if value.Kind() != json.Bool {
			return apierror.Input("repeatable", "repeatable must be true or false")
		}
		r.Unrepeatable = !value.True()
		return nil
	case "failed":
		r.Given |= GivenFailed
		return text(name, value, &r.Failed)
	case "value":
		r.Given |= GivenValue
		r.Value, r.ValueNull = value.Text(), value.Kind() == json.Null
		if !r.ValueNull && value.Kind() != json.String {
			return apierror.Input("value", "value must be a string, or null if the key is missing")
		}
		return nil // invalid Unicode in it is not the host's error, and is never shown
	case "added":
		r.Given |= GivenAdded
		if value.Kind() != json.Bool {
			return apierror.Input("added", "added must be true or false")
		}
		r.Added = value.True()
		return nil
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
	return apierror.Input("status", "status must be 0 (no response), or 100 to 599")
}

func (r *Resume) setHeaders(value json.Value) (err *apierror.Error) {
	if !json.WellFormed(value) {
		return apierror.Input("headers", "headers"+notUnicode)
	}
	isObject := value.Each(func(name string, value json.Value) bool {
		texts, ok := value.Texts()
		if !ok {
			err = apierror.Input("headers", "a header's value must be a string or a list of strings")
		}
		if len(texts) > 0 && ascii.Lower(name) == "retry-after" {
			r.RetryAfter = texts[0]
		}
		return ok
	})
	if !isObject {
		return wantObject("headers", value)
	}
	return err
}
