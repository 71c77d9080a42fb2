package input

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/json"
	"automatic-rostering/plugin/core/message"
)

// Response is a response, or its absence, as the host passes it.
type Response struct {
	// Status is 0 without a response; Failed may then have the reason.
	Status           int
	Failed           string
	Headers          json.Value
	RetryAfter, Date string // of the headers
	Body             string

	Given Given // of the fields of resume and explain
}

// Resume is the input of resume: a flow, and the result of its step.
type Resume struct {
	Flow string // as begin or resume returned it
	clock.Override
	Response

	Value     string // of a key in the store
	ValueNull bool   // the key does not exist
	Added     bool
}

// Explain is the input of explain: a response, and what led to it.
type Explain struct {
	Response
	clock.Override
	Tokens       []string // that the call sent
	Request      Own      // its method and path, or neither
	Milliseconds int64    // that it took, or -1
}

// maxTokens is how many tokens a call sends at most.
const maxTokens = 3

// Given is a set of fields that were passed.
type Given uint8

const (
	GivenStatus Given = 1 << iota
	GivenHeaders
	GivenBody
	GivenFailed // this and the following exclude each other and those above
	GivenValue
	GivenAdded
)

// ParseResume reads the input of resume. It does not check whether the result fits the
// flow's step.
func ParseResume(b []byte) (r *Resume, err *apierror.Error) {
	r = &Resume{}
	err = fields("flow status headers body failed value added now").read(b, r.set)
	switch {
	case err != nil:
	case r.Flow == "":
		err = apierror.Input("flow", "pass the flow of the last step")
	default:
		err = r.Response.check()
	}
	return r, err
}

// ParseExplain reads the input of explain.
func ParseExplain(b []byte) (e *Explain, err *apierror.Error) {
	e = &Explain{Milliseconds: -1}
	err = fields("status headers body failed tokens method path milliseconds now").read(b, e.set)
	if err == nil {
		err = e.Response.check()
	}
	switch {
	case err != nil:
	case e.Given&(GivenStatus|GivenFailed) == 0:
		err = apierror.Input("status", passResponse)
	case e.Status/100 == 2 || e.Status == 304:
		err = apierror.Input("status", "this response is a result; explain only others")
	case e.Request.Method != "" || e.Request.Path != "":
		err = e.Request.check(Request)
	}
	return e, err
}

const passResponse = "pass the response's status, headers and body, or failed with a reason"

// check validates the fields together.
func (r *Response) check() *apierror.Error {
	switch {
	case r.Given >= GivenFailed && r.Given&(r.Given-1) != 0: // one of the last three, and another
		return apierror.Input(r.Given.lone(), "pass exactly one of failed, value and added, or a response")
	case r.Given&(GivenHeaders|GivenBody) != 0 && r.Given&GivenStatus == 0:
		return apierror.Input("status", passResponse)
	}
	return nil
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
		return text(name, value, &r.Flow)
	case "value":
		r.Given |= GivenValue
		r.Value, r.ValueNull = value.Text(), value.Kind() == json.Null
		if !r.ValueNull && value.Kind() != json.String {
			return apierror.Input("value", "value must be a string, or null if the key is missing")
		}
		return nil // invalid Unicode in it is not the host's error, and is never shown
	case "added":
		r.Given |= GivenAdded
		return boolean(name, value, &r.Added)
	case "now":
		return r.Override.Set(value)
	}
	return r.Response.set(name, value)
}

func (e *Explain) set(name string, value json.Value) *apierror.Error {
	switch name {
	case "method", "path":
		return e.Request.set(name, value)
	case "milliseconds":
		n, ok := value.Natural(clock.Latest)
		if e.Milliseconds = n; !ok {
			return apierror.Input(name, "milliseconds must be an integer")
		}
		return nil
	case "now":
		return e.Override.Set(value)
	case "tokens":
		return e.setTokens(value)
	}
	return e.Response.set(name, value)
}

func (e *Explain) setTokens(value json.Value) *apierror.Error {
	tokens, ok := value.Texts()
	if !ok || value.Kind() != json.List || len(tokens) > maxTokens {
		return apierror.Input("tokens", "tokens must be a list of at most 3 access tokens")
	}
	for _, token := range tokens {
		if !AccessToken(token) {
			return apierror.Input("tokens", AccessTokenMessage)
		}
	}
	e.Tokens = tokens
	return nil
}

func (r *Response) set(name string, value json.Value) *apierror.Error {
	switch name {
	case "status":
		r.Given |= GivenStatus
		return r.setStatus(value)
	case "headers":
		r.Given |= GivenHeaders
		return r.setHeaders(value)
	case "body":
		r.Given |= GivenBody
		return text(name, value, &r.Body)
	}
	r.Given |= GivenFailed
	return text(name, value, &r.Failed)
}

func (r *Response) setStatus(value json.Value) *apierror.Error {
	status, ok := value.Natural(1000)
	if !ok || status == 1000 {
		return apierror.Input("status", "status must be 0 (no response), or an HTTP status of at most 999")
	}
	r.Status = int(status)
	return nil
}

func (r *Response) setHeaders(value json.Value) (err *apierror.Error) {
	if !json.WellFormed(value) {
		return apierror.Input("headers", "headers"+notUnicode)
	}
	isObject := value.Each(func(name string, value json.Value) bool {
		texts, ok := value.Texts()
		if !ok {
			err = apierror.Input("headers", "a header's value must be a string or a list of strings")
		}
		if len(texts) > 0 {
			switch ascii.Lower(name) {
			case "retry-after":
				r.RetryAfter = texts[0]
			case "date":
				r.Date = texts[0]
			}
		}
		return ok
	})
	r.Headers = value
	if !isObject {
		return wantObject("headers", value)
	}
	return err
}

// Message returns the response as the core reads it, without a body unless the host passed one.
func (r *Response) Message() *message.Response {
	response := &message.Response{Status: r.Status, Reason: r.Failed, Headers: r.Headers, RetryAfter: r.RetryAfter, Date: r.Date}
	if r.Given&GivenBody != 0 {
		response.Size = len(r.Body)
		response.Load = func(most int) []byte { return []byte(r.Body[:min(most, len(r.Body))]) }
	}
	return response
}
