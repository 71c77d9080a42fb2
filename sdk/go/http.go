package rostering

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"

	"automatic-rostering.example/rostering/internal/quiet"
)

// maxErrorBody is how much of an error's body the plugin needs.
const maxErrorBody = 4<<10 + 1

// accepted reports whether a response of the service is the result of a call. The body of any
// other goes into the error.
func accepted(status int) bool { return status/100 == 2 || status == http.StatusNotModified }

// outgoing is a request of the plugin.
type outgoing struct {
	Method, URL string
	Headers     map[string]string
	Body        string // of a token request
}

// request returns the request, without the caller's body.
func (o *outgoing) request() (*http.Request, error) {
	q, err := http.NewRequest(o.Method, o.URL, strings.NewReader(o.Body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("User-Agent", userAgent)
	for name, value := range o.Headers {
		q.Header.Set(name, value)
	}
	return q, nil
}

// withToken adds a token to a copy of a request.
func withToken(q *http.Request, token string) *http.Request {
	header := make(http.Header, len(q.Header)+1)
	maps.Copy(header, q.Header)
	header["Authorization"] = []string{"Bearer " + token}
	q.Header = header
	return q
}

// bodyError is an error of the caller's body.
type bodyError struct{ error }

// limits are how many bytes are read of the body of a result, and of an error.
type limits struct{ result, failure int64 }

// exchange sends a request, and reads the response, until the request's context ends. The program's
// own client, or its body, may not heed that.
func exchange(q *http.Request, client *http.Client, read limits) (r *Response, err error) {
	_, heeds := client.Transport.(quiet.Transport)
	if _, isProgram := q.Body.(*reader); heeds && !isProgram {
		r, err = read.exchange(q, client)
	} else {
		r, err = bounded(q.Context(), func() (*Response, error) { return read.exchange(q, client) })
	}
	if err != nil {
		return nil, withoutWords(client, err)
	}
	return r, nil
}

func (read limits) exchange(q *http.Request, client *http.Client) (*Response, error) {
	response, err := client.Do(q)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusSwitchingProtocols { // what follows may never end
		return &Response{Status: response.StatusCode, Header: response.Header}, nil
	}
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

// because attaches why a request failed to its network_error: an error that can quote neither a request
// nor a response, or else its type. The message has its text, redacted.
func (e *Error) because(err error) {
	e.cause = fmt.Errorf("%T", withoutURL(err))
	for _, known := range [...]error{context.DeadlineExceeded, context.Canceled, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, known) {
			e.cause = known
		}
	}
	if system, ok := errors.AsType[*os.SyscallError](err); ok {
		e.cause = system.Err
	}
	if e.Reason == ReasonTLSCertificate {
		e.Message += "; for your own certificate authority, set RootCAs of WithHTTPClient"
	}
}

// withoutRedirects returns a copy of client that follows no redirects.
func withoutRedirects(client *http.Client) *http.Client {
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}
