package rostering

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Response is an answer of the service.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON decodes the body into v.
func (r *Response) JSON(v any) error { return json.Unmarshal(r.Body, v) }

// Body is the body of a request.
type Body struct {
	// Open returns the body from its beginning. It is called for each attempt: after a
	// 401, the request is sent again with a new token. If it fails then, because the body
	// can be read only once, the call ends with a retryable service_unauthorized.
	Open func() (io.ReadCloser, error)
	// Length is in bytes; zero means unknown: the body is sent in chunks.
	Length int64

	again io.ReadCloser // opened for the next attempt
}

// reopen opens the body for another attempt.
func (b *Body) reopen() (err error) {
	if b.Open != nil {
		b.again, err = b.Open()
	}
	return err
}

// reader returns the body for an attempt.
func (b *Body) reader() (io.ReadCloser, error) {
	if again := b.again; again != nil {
		b.again = nil
		return again, nil
	}
	return b.Open()
}

// close closes a body for an attempt that was not made.
func (b *Body) close() {
	if b.again != nil {
		_ = b.again.Close()
	}
}

// Text is a body of text in UTF-8.
func Text(text string) Body { return Bytes([]byte(text)) }

// Bytes is a body of bytes.
func Bytes(b []byte) Body {
	return Body{Length: int64(len(b)), Open: func() (io.ReadCloser, error) {
		if len(b) == 0 {
			return http.NoBody, nil
		}
		return io.NopCloser(bytes.NewReader(b)), nil
	}}
}

// request is a request that the plugin wants sent.
type request struct {
	Method, URL string
	Headers     map[string]string
	Body        any // text, or true for the caller's
}

// body returns the body of the request, which may be empty.
func (r *request) body(callers *Body) *Body {
	switch body := r.Body.(type) {
	case string:
		text := Text(body)
		return &text
	case bool:
		return callers
	}
	return new(Body)
}

// bodyError is an error of [Body.Open].
type bodyError struct{ error }

// send sends a request and reads its answer up to a limit in bytes.
func (r *request) send(ctx context.Context, client *http.Client, body *Body, limit int64) (*Response, error) {
	q, err := http.NewRequestWithContext(ctx, r.Method, r.URL, nil)
	if err != nil {
		return nil, err
	}
	if body.Open != nil {
		if q.Body, err = body.reader(); err != nil {
			return nil, bodyError{err}
		}
		q.GetBody, q.ContentLength = body.Open, body.Length
	}
	for name, value := range r.Headers {
		q.Header.Set(name, value)
	}
	answer, err := client.Do(q)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(answer.Body, limit))
	if err != nil {
		return nil, err
	}
	if answer.Header == nil { // as a RoundTripper of a test may leave it
		answer.Header = http.Header{}
	}
	return &Response{Status: answer.StatusCode, Header: answer.Header, Body: content}, nil
}

// why says why a request failed, without the URL that [*url.Error] adds.
func why(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// newHTTPClient returns the default for [WithHTTPClient].
func newHTTPClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		// All requests go to two hosts, many at a time: the default of two idle
		// connections for each would open most of them anew.
		MaxIdleConnsPerHost: 100,
	}}
}

// withoutRedirects returns a copy of client that follows no redirects.
func withoutRedirects(client *http.Client) *http.Client {
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}
