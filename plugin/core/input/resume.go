package input

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/json"
	"automatic-rostering.example/rostering/plugin/core/message"
)

// Response is a response, or its absence, as the host passes it.
type Response struct {
	message.Response

	// Given is the field that was passed of status, failed, value and added, which exclude each other, or "".
	Given string
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

// ParseResume reads the input of resume. It does not check whether the result fits the
// flow's step.
func ParseResume(b []byte) (r *Resume, err *apierror.Error) {
	r = &Resume{}
	err = fields("flow status headers body failed reason value added now").read(b, r.set)
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
	err = fields("status headers body failed reason tokens method path milliseconds now").read(b, e.set)
	if err == nil {
		err = e.Response.check()
	}
	switch {
	case err != nil:
	case e.Given == "":
		err = apierror.Input("status", passResponse)
	case e.Status/100 == 2 || e.Status == 304:
		err = apierror.Input("status", "explain takes only failures, not 2xx or 304")
	case e.Request.Method != "" || e.Request.Path != "":
		err = e.Request.check(Request)
	}
	return e, err
}

const passResponse = "pass the response's status, headers and body, or failed with a reason"

// check validates the fields together.
func (r *Response) check() *apierror.Error {
	if (r.Load != nil || r.Headers != nil) && r.Given != "status" {
		return apierror.Input("status", passResponse)
	}
	if r.Reason != "" && r.Given != "failed" {
		return apierror.Input("reason", "pass reason with failed only")
	}
	return nil
}

// give notes that a field was passed that excludes others.
func (r *Response) give(name string) *apierror.Error {
	if r.Given != "" {
		return apierror.Input(name, "pass exactly one of failed, value and added, or a response")
	}
	r.Given = name
	return nil
}

func (r *Resume) set(name string, value json.Value) *apierror.Error {
	switch name {
	case "flow":
		return text(name, value, &r.Flow)
	case "value":
		r.Value, r.ValueNull = value.Text(), value.Kind() == json.Null
		if !r.ValueNull && value.Kind() != json.String {
			return apierror.Input("value", " must be a string, or null if the key is missing")
		}
		return r.give(name) // invalid Unicode in it is not the host's error, and is never shown
	case "added":
		if err := boolean(name, value, &r.Added); err != nil {
			return err
		}
		return r.give(name)
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
			return apierror.Input(name, " must be an integer")
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
		return apierror.Input("tokens", " must be a list of at most 3 access tokens")
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
	case "headers":
		return r.setHeaders(value)
	case "body":
		var body []byte
		err := text(name, value, &body)
		r.Size = len(body)
		r.Load = func(most int) []byte { return body[:min(most, len(body))] }
		return err
	case "failed":
		if err := text(name, value, &r.Failure); err != nil {
			return err
		}
		return r.give(name)
	case "reason":
		r.Reason = value.Text()
		if ascii.Word(apierror.Reasons, r.Reason) < 0 {
			return apierror.Input(name, " must be one of "+apierror.Reasons)
		}
		return nil
	}
	status, ok := value.Natural(1000)
	if r.Status = int(status); !ok || status == 1000 {
		return apierror.Input(name, " must be 0 (no response), or an HTTP status of at most 999")
	}
	return r.give(name)
}

func (r *Response) setHeaders(value json.Value) (err *apierror.Error) {
	if !json.WellFormed(value) {
		return apierror.Input("headers", notUnicode)
	}
	var known [4]string
	isObject := value.Each(func(name string, value json.Value) bool {
		texts, ok := value.Texts()
		if !ok {
			err = apierror.Input("headers", "a header's value must be a string or a list of strings")
		}
		if i := ascii.Word("retry-after date content-type server", ascii.Lower(name)); i >= 0 && len(texts) > 0 {
			known[i] = texts[0]
		}
		return ok
	})
	r.Headers, r.RetryAfter, r.Date, r.Source = value, known[0], known[1], known[2]
	if known[3] != "" {
		r.Source += " from " + known[3]
	}
	if !isObject {
		return apierror.Input("headers", " must be an object")
	}
	return err
}
