// Package message holds an HTTP request and its answer, as the core sees them:
// the core says what to send and reads what came, and never sends itself.
package message

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Header is one header field of a request.
type Header struct{ Name, Value string }

// Request is a request that somebody else sends.
type Request struct {
	Method  string
	URL     string
	Headers []Header
	Body    string // not sent at all where it is empty
	// HostBody says that the host has the body, which the plugin never sees.
	HostBody bool
}

// Answer is what came back.
type Answer struct {
	// Status is the HTTP status, or 0 if there was no answer.
	Status int
	// Reason is why there was none, where the host tells.
	Reason string
	// Size is the length of the body in bytes.
	Size int
	// Load returns the body, or its first max bytes. The core calls it only when it
	// must: a body that goes to the caller as it is never enters the guest. nil if
	// the host keeps the body to itself.
	Load func(max int) []byte
	// RetryAfter is the Retry-After header, where the host hands headers over.
	RetryAfter string
}

// Failed reports whether no usable answer came: no status, or the single NUL
// byte by which the JavaScript SDKs show a body over the host's limit.
func (a *Answer) Failed() bool {
	if a.Status == 0 {
		return true
	}
	return a.Status == 200 && a.Size == 1 && a.Load(1)[0] == 0
}

// AppendJSON appends the request as http_request takes it: a JSON object of method,
// url and headers. The body travels beside it.
func (r *Request) AppendJSON(dst []byte) []byte { return append(r.appendHead(dst), '}') }

// AppendWithBody appends the request with its body, as begin and resume hand it out.
func (r *Request) AppendWithBody(dst []byte) []byte {
	dst = r.appendHead(dst)
	switch {
	case r.HostBody:
		dst = append(dst, `,"body":true`...)
	case r.Body != "":
		dst = gjson.AppendJSONString(append(dst, `,"body":`...), r.Body)
	}
	return append(dst, '}')
}

func (r *Request) appendHead(dst []byte) []byte {
	dst = append(dst, `{"method":"`...)
	dst = append(dst, r.Method...)
	dst = append(dst, `","url":`...)
	dst = gjson.AppendJSONString(dst, r.URL)
	dst = append(dst, `,"headers":{`...)
	for i, h := range r.Headers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = gjson.AppendJSONString(dst, h.Name)
		dst = append(dst, ':')
		dst = gjson.AppendJSONString(dst, h.Value)
	}
	return append(dst, '}')
}

// Line is what is logged for a request that was answered: host and path of its URL,
// without scheme and query.
func (r *Request) Line(status int) string {
	_, target, _ := strings.Cut(r.URL, "://")
	target, _, _ = strings.Cut(target, "?")
	return "HTTP " + strconv.Itoa(status) + " to " + r.Method + " " + target
}
