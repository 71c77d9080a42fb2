package input

import (
	"slices"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/json"
	"automatic-rostering.example/rostering/plugin/core/message"
)

// Own is a custom request: the input of request and send_request, without the ids.
type Own struct {
	Path    string // to be appended to base_url, with its query
	Method  string
	Headers []message.Header
	Body    string
	// HostBody says that the host has the body and adds it to the request.
	HostBody bool
	hasBody  bool // the field was passed
}

const methods = "GET HEAD POST PUT PATCH DELETE OPTIONS"

// ForbiddenHeaders are headers that the plugin or the host's client sets, that could change
// where a request goes or where it ends, or that some clients reject. In lower case, with
// - for _.
const ForbiddenHeaders = "authorization customer-id user-id host content-length transfer-encoding connection " +
	"expect upgrade keep-alive te trailer proxy-connection"

// Limits of a request. The size of the headers includes names and values.
const (
	maxHeaders     = 100
	maxHeadersSize = 32 << 10
	maxBody        = 1 << 20
)

func (r *Own) set(name string, value json.Value) *apierror.Error {
	switch name {
	case "path":
		if err := text(name, value, &r.Path); err != nil || r.Path != "" {
			return err
		}
		return apierror.Input(name, pathForm)
	case "method":
		r.Method = value.Text()
		if ascii.Word(methods, r.Method) < 0 {
			return apierror.Input(name, " must be one of "+methods)
		}
		return nil
	case "headers":
		return r.setHeaders(value)
	}
	r.hasBody = true
	r.HostBody = value.Kind() == json.Bool && value.True()
	if r.HostBody {
		return nil
	}
	if value.Kind() != json.String {
		return apierror.Input("body", bodyMessage)
	}
	return text(name, value, &r.Body)
}

const bodyMessage = " must be true in request, and a string in send_request"

// check validates the fields together, and sets the defaults.
func (r *Own) check(export Export) *apierror.Error {
	if r.Path == "" && export == Request {
		r.Path = "/jobs"
	}
	if wrong := checkPath(r.Path); wrong != "" {
		return apierror.Input("path", wrong)
	}
	if r.Method == "" {
		r.Method = "GET"
	}
	switch {
	case r.hasBody && r.HostBody != (export == Request):
		return apierror.Input("body", bodyMessage)
	case (r.Body != "" || r.HostBody) && (r.Method == "GET" || r.Method == "HEAD"):
		return apierror.Input("body", "GET and HEAD have no body; omit it")
	case len(r.Body) > maxBody:
		return apierror.Input("body", " is longer than 1 MiB; use request, and send it yourself")
	}
	return nil
}

func (r *Own) setHeaders(value json.Value) *apierror.Error {
	wrong := func(message string) *apierror.Error { return apierror.Input("headers", message) }
	var names []string
	size := 0
	var err *apierror.Error
	isObject := value.Each(func(name string, value json.Value) bool {
		folded := ascii.Lower(name)
		header := message.Header{Name: name, Value: value.Text()}
		size += len(header.Name) + len(header.Value)
		switch {
		case len(names) == maxHeaders || size > maxHeadersSize:
			err = wrong(" must have at most 100 fields and 32 KiB in all; send more in the body")
		case !ascii.Token(name):
			err = wrong("a header's name must be letters, digits or any of !#$%&'*+-.^_`|~")
		case ascii.Word(ForbiddenHeaders, withDashes(folded)) >= 0:
			err = wrong("the header " + name + " is reserved; omit it")
		case slices.Contains(names, folded):
			err = wrong("the header " + name[:min(len(name), 64)] + " is given twice; pass it once")
		case value.Kind() != json.String || !ascii.FieldValue(header.Value):
			err = wrong("a header's value must be a string of visible ASCII, spaces and tabs")
		}
		names = append(names, folded)
		r.Headers = append(r.Headers, header)
		return err == nil
	})
	if !isObject {
		return wrong(" must be an object with string values")
	}
	return err
}

// withDashes returns a header's name with - for _, as servers may read it.
func withDashes(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c == '_' {
			b[i] = '-'
		}
	}
	return string(b)
}
