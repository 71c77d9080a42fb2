// Package message defines an HTTP request and its response as the core sees them: the core
// says what to send and reads the response, and never sends anything itself.
package message

import (
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// Header is one header field of a request.
type Header struct{ Name, Value string }

// Request is a request for the host or the shell to send.
type Request struct {
	Method  string
	URL     string
	Headers []Header
	Body    string // no body is sent if it is empty
}

// Response is the response to a request, or its absence.
type Response struct {
	// Status is the HTTP status, or 0 if there was no response.
	Status int
	// Failure is why there was none, if the host reports it, and Reason one of apierror.Reasons.
	Failure, Reason string
	// Size is the length of the body in bytes.
	Size int
	// Load returns the body, or its first max bytes. The core calls it only if necessary:
	// a body that goes to the caller unchanged never enters the guest. nil if the host
	// does not pass the body.
	Load func(max int) []byte
	// Headers are the headers, if the host passes them, and RetryAfter and Date two of them.
	Headers          json.Value
	RetryAfter, Date string
	// Source is what other headers say of a body that is not the expected one: its type, and the server.
	Source string
}

// Body returns the body, or its first most bytes; nil if the host does not pass it.
func (r *Response) Body(most int) []byte {
	if r.Load == nil {
		return nil
	}
	return r.Load(most)
}

// Failed reports whether there is no usable response: no status, or the single NUL byte
// that the JavaScript SDKs return for a body over the host's limit.
func (r *Response) Failed() bool {
	return r.Status == 0 || r.Status == 200 && r.Size == 1 && r.Body(1)[0] == 0
}

// JSON returns the request as http_request takes it: a JSON object with method, url and headers. The
// body is passed separately.
func (r *Request) JSON() []byte {
	var w json.Writer
	w.Raw(`{"method":"`)
	w.Raw(r.Method)
	w.Raw(`","url":`)
	w.Text(r.URL)
	w.Raw(`,"headers":`)
	before := "{"
	for _, h := range r.Headers {
		w.Raw(before)
		w.Text(h.Name)
		w.Raw(":")
		w.Text(h.Value)
		before = ","
	}
	if len(r.Headers) == 0 {
		w.Raw("{")
	}
	w.Raw("}}")
	return w
}

// WithBody returns the request with its body, as in a step.
func (r *Request) WithBody() []byte {
	object := r.JSON()
	w := json.Writer(object[:len(object)-1])
	w.Name("body")
	w.Text(r.Body)
	w.Raw("}")
	return w
}

// Line returns the log line for a request that got a response, with the host and path of
// its URL, but no scheme and no query.
func (r *Request) Line(status int) string {
	_, target, _ := ascii.Cut(r.URL, "://")
	target, _, _ = ascii.Cut(target, "?")
	return "HTTP " + ascii.Int(int64(status)) + " to " + r.Method + " " + target
}
