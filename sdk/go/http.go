package rostering

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"reflect"
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
// own client may not heed that.
func exchange(q *http.Request, client *http.Client, read limits) (*Response, error) {
	if _, heeds := client.Transport.(quiet.Transport); heeds {
		return read.exchange(q, client)
	}
	return bounded(q.Context(), func() (*Response, error) { return read.exchange(q, client) })
}

func (read limits) exchange(q *http.Request, client *http.Client) (*Response, error) {
	response, err := client.Do(q)
	if err != nil {
		return nil, wordless(client, err)
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

// wordless replaces an error that is only a text, if net/http made it: the text may be a proxy's.
func wordless(client *http.Client, err error) error {
	_, standard := client.Transport.(*http.Transport)
	standard = standard || client.Transport == nil
	if standard && reflect.TypeOf(withoutURL(err)) == reflect.TypeOf(errors.New("")) {
		return errors.New("the HTTP client has no connection")
	}
	return err
}

// reason returns why a request failed, without the URL that [*url.Error] adds. It has nothing
// that the server sent, which net/http quotes: that may be a part of a secret.
func reason(err error) string {
	if _, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return "a header of the response is malformed"
	}
	text, _, _ := strings.Cut(withoutURL(err).Error(), `"`)
	return strings.TrimRight(text, " :")
}

func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
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
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		e.Retryable = false
		e.Message += "; for your own certificate authority, set RootCAs of WithHTTPClient"
	}
}

// withoutRedirects returns a copy of client that follows no redirects.
func withoutRedirects(client *http.Client) *http.Client {
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}
