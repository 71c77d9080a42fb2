package rostering

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxErrorBody is one byte more than the plugin shows of an error's body.
const maxErrorBody = 4<<10 + 1

// accepted reports whether a response of the service is the result of a call. The body of any
// other goes into the error.
func accepted(status int) bool { return status/100 == 2 || status == http.StatusNotModified }

// request is a request that the plugin wants sent.
type request struct {
	Method, URL string
	Headers     map[string]string
	Body        any // a string, or true for the caller's
}

// bodyError is an error of the caller's body.
type bodyError struct{ error }

// limits are how many bytes are read of the body of a result, and of an error.
type limits struct{ result, failure int64 }

// send sends a request and reads its response.
func (r *request) send(ctx context.Context, client *http.Client, callers *body, read limits) (*Response, error) {
	q, err := http.NewRequestWithContext(ctx, r.Method, r.URL, nil)
	if err != nil {
		return nil, err
	}
	own := callers
	if content, ok := r.Body.(string); ok {
		own = &body{length: int64(len(content)), open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(content)), nil
		}}
	}
	if own != nil {
		if q.Body, err = own.reader(); err != nil {
			return nil, bodyError{err}
		}
		q.GetBody, q.ContentLength = own.open, own.length
	}
	q.Header.Set("User-Agent", userAgent)
	for name, value := range r.Headers {
		q.Header.Set(name, value)
	}
	response, err := client.Do(q)
	if err != nil {
		if failed := own.failure(); failed != nil && ctx.Err() == nil {
			return nil, bodyError{failed}
		}
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	limit := read.result
	if !accepted(response.StatusCode) {
		limit = read.failure
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, limit))
	if err != nil {
		return nil, err
	}
	if response.Header == nil { // a fake RoundTripper may leave it out
		response.Header = http.Header{}
	}
	return &Response{Status: response.StatusCode, Header: response.Header, Body: content}, nil
}

// reason returns why a request failed, without the URL that [*url.Error] adds.
func reason(err error) string {
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
