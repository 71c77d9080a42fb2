package rostering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	q.ContentLength = b.length
	if b.open == nil {
		q.Body, b.once = b.marked(b.once), nil
		return nil
	}
	q.GetBody = func() (io.ReadCloser, error) { return b.opened(q.Context()) }
	q.Body, err = bounded(q.Context(), q.GetBody)
	return err
}

// opened opens the body for an attempt, which may have ended meanwhile.
func (b *body) opened(ctx context.Context) (io.ReadCloser, error) {
	next, err := b.open()
	switch {
	case err != nil:
		return nil, bodyError{err}
	case next == nil:
		return nil, bodyError{errors.New("GetBody returned neither a body nor an error")}
	case ctx.Err() != nil:
		_ = next.Close()
	}
	return b.marked(next), nil
}

// marked returns a body that marks its errors.
func (b *body) marked(next io.ReadCloser) io.ReadCloser {
	if next == http.NoBody {
		return next // net/http compares it
	}
	return &reader{ReadCloser: next, length: b.length}
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
	length, read int64       // length is zero if unknown
	closed       atomic.Bool // by net/http, after its own failure
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.read += int64(n)
	isShort := err == io.EOF && r.read < r.length
	switch {
	case err != nil && err != io.EOF && !r.closed.Load():
		err = bodyError{err}
	case isShort, r.length > 0 && r.read > r.length:
		err = bodyError{fmt.Errorf("it does not have %d bytes, as its ContentLength says", r.length)}
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
