package input

import (
	"slices"
	"strings"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/json"
	"automatic-rostering/plugin/internal/message"
)

// Request is what send_request is asked to send.
type Request struct {
	Path    string // behind base_url, with its query
	Method  string
	Headers []message.Header
	Body    string
}

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// ForbiddenHeaders are set by the plugin or by the host's client, and could change
// where a request goes or where it ends. In lower case, with - for _.
var ForbiddenHeaders = []string{
	"authorization", "customer-id", "user-id", "host", "content-length", "transfer-encoding", "connection",
}

func (r *Request) set(name string, value json.Value) *apierror.Error {
	switch name {
	case "path":
		return text(name, value, &r.Path)
	case "method":
		return text(name, value, &r.Method)
	case "headers":
		return r.setHeaders(value)
	}
	return text(name, value, &r.Body)
}

// check judges what the single fields do not show, and fills in what was left out.
func (r *Request) check() *apierror.Error {
	if wrong := checkPath(r.Path); wrong != "" {
		return apierror.Input("path", wrong)
	}
	if r.Method == "" {
		r.Method = "GET"
	}
	if !slices.Contains(methods, r.Method) {
		return apierror.Input("method", "method must be one of "+strings.Join(methods, ", "))
	}
	if r.Body != "" && (r.Method == "GET" || r.Method == "HEAD") {
		return apierror.Input("body", "GET and HEAD have no body: some hosts cannot send one")
	}
	return nil
}

func (r *Request) setHeaders(value json.Value) *apierror.Error {
	wrong := func(message string) *apierror.Error { return apierror.Input("headers", message) }
	if value.Kind() != json.Object {
		return wrong("headers must be an object of texts")
	}
	names := slices.Clone(ForbiddenHeaders) // and those that were given
	var err *apierror.Error
	json.Each(value, func(name string, value json.Value) bool {
		folded := ascii.Lower(name)
		header := message.Header{Name: name, Value: value.Text()}
		switch {
		case !ascii.Token(name):
			err = wrong("a header's name must be letters, digits or any of !#$%&'*+-.^_`|~")
		case slices.Contains(ForbiddenHeaders, strings.ReplaceAll(folded, "_", "-")):
			err = wrong("the header " + printable(name) + " is not the caller's to set")
		case slices.Contains(names, folded):
			err = wrong("the header " + printable(name) + " is given twice")
		case value.Kind() != json.String || !ascii.FieldValue(header.Value):
			err = wrong("a header's value must be text of visible ASCII characters, spaces and tabs")
		}
		names = append(names, folded)
		r.Headers = append(r.Headers, header)
		return err == nil
	})
	return err
}
