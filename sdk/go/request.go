package rostering

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// Request is a request to the service.
type Request struct {
	// Method is GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS (default: GET).
	Method string
	// Path is appended to Config.BaseURL, which it cannot leave. It begins with a slash, and
	// may have a query.
	Path string
	// Query is appended to the path.
	Query url.Values
	// Header holds additional headers. Reserved are Authorization, the two ids, and what
	// net/http sets itself (Host, Content-Length, …).
	Header http.Header
	// Body is sent unchanged, as by [http.NewRequest]. A [bytes.Buffer], [bytes.Reader] or
	// [strings.Reader] has a length, and is sent again with a new token after a 401. Any
	// other reader is sent in chunks, and only once: after a 401 the call returns a
	// retryable [*Error] with [CodeServiceUnauthorized]. GET and HEAD take no body.
	Body io.Reader
	// GetBody, if set, replaces Body: it opens the body for each attempt.
	GetBody func() (io.ReadCloser, error)
	// ContentLength is the length of what GetBody opens, or of a Body of any other type
	// than the three above. Zero means unknown.
	ContentLength int64
}

// path returns the path with the query.
func (r *Request) path() string {
	if len(r.Query) == 0 {
		return r.Path
	}
	separator := "?"
	if strings.Contains(r.Path, "?") {
		separator = "&"
	}
	return r.Path + separator + r.Query.Encode()
}

// joined returns one value for each name, which combines several (RFC 9110, section 5.3).
func joined(header http.Header) map[string]string {
	headers := make(map[string]string, len(header))
	for name, values := range header {
		if len(values) > 0 {
			headers[name] = strings.Join(values, ", ")
		}
	}
	return headers
}

// withDefaults adds the default headers to those of a call, unless it has one of the same name.
func withDefaults(headers, defaults map[string]string) map[string]string {
	if len(defaults) == 0 {
		return headers
	}
	all := maps.Clone(defaults)
	maps.DeleteFunc(all, func(name, _ string) bool { return has(headers, name) })
	maps.Copy(all, headers)
	return all
}

// has reports whether there is a header of a name, in any case.
func has[V any](headers map[string]V, name string) bool {
	for given := range headers {
		if strings.EqualFold(given, name) {
			return true
		}
	}
	return false
}

// body is the body of a request, for each of its attempts.
type body struct {
	once   io.ReadCloser                 // if the body can be read only once; nil after that
	open   func() (io.ReadCloser, error) // or else
	length int64                         // zero if unknown
}

func (r *Request) body() *body {
	switch {
	case r.GetBody != nil:
		return &body{open: r.GetBody, length: r.ContentLength}
	case r.Body == nil || r.Body == http.NoBody:
		return nil
	}
	// net/http knows which readers have a length and can be read again. The first attempt
	// reads a copy, too: so the caller's reader stays at its beginning, for another call.
	q, _ := http.NewRequest(http.MethodPost, "/", r.Body) // can fail only for another method or URL
	if q.GetBody != nil {
		return &body{open: q.GetBody, length: q.ContentLength}
	}
	return &body{once: q.Body, length: r.ContentLength}
}

// repeatable reports whether the body can be sent again.
func (b *body) repeatable() bool { return b == nil || b.open != nil }

// attach adds the body to the request of an attempt.
func (b *body) attach(q *http.Request) (err error) {
	if b == nil {
		return nil
	}
	if q.Body, err = b.reader(); err != nil {
		return bodyError{err}
	}
	q.GetBody, q.ContentLength = b.open, b.length
	return nil
}

// reader returns the body for an attempt.
func (b *body) reader() (next io.ReadCloser, err error) {
	if b.open == nil {
		next, b.once = b.once, nil
	} else if next, err = b.open(); err != nil {
		return nil, err
	}
	if next == http.NoBody {
		return next, nil // net/http compares it
	}
	return &reader{ReadCloser: next}, nil
}

// close closes a body that was not sent.
func (b *body) close() {
	if b != nil && b.once != nil {
		_ = b.once.Close()
	}
}

// reader marks the errors of the caller's body, which are no failures of the network.
type reader struct {
	io.ReadCloser
	closed atomic.Bool // by net/http, after its own failure
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF && !r.closed.Load() {
		err = bodyError{err}
	}
	return n, err
}

func (r *reader) Close() error {
	r.closed.Store(true)
	return r.ReadCloser.Close()
}

// Response is a response of the service, with its whole body.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON decodes the body into v.
func (r *Response) JSON(v any) error { return json.Unmarshal(r.Body, v) }
