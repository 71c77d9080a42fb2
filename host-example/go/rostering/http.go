package rostering

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxAnswer bounds an answer's body in bytes, as go-sdk does.
const maxAnswer = 50 << 20

// request is a request that the plugin wants sent.
type request struct {
	Method, URL string
	Headers     map[string]string
	Body        string // not sent at all where it is empty
}

// forToken reports whether r asks for a token.
func (r *request) forToken() bool {
	return r != nil && r.Method == http.MethodPost && strings.HasSuffix(r.URL, "/connect/token")
}

// answer is what came of a request.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error // why no answer came, or not all of it
}

// send sends a request.
func (r *request) send(ctx context.Context, client *http.Client) (a answer) {
	var body io.Reader
	if r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	q, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body)
	if err != nil {
		return answer{err: err}
	}
	for name, value := range r.Headers {
		q.Header.Set(name, value)
	}
	response, err := client.Do(q)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	a = answer{status: response.StatusCode, header: response.Header}
	a.body, a.err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if len(a.body) > maxAnswer {
		a.err = fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	return a
}

// reason says why no answer came. A URL in it would say nothing new.
func (a *answer) reason() string {
	if e, ok := errors.AsType[*url.Error](a.err); ok {
		return e.Err.Error()
	}
	return a.err.Error()
}

// newHTTPClient is the client of those who bring none.
func newHTTPClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		// All requests go to two hosts, many at a time: two idle connections
		// for each, as usual, would have most of them opened anew.
		MaxIdleConnsPerHost: 100,
	}}
}

// withoutRedirects is client, but for redirects: following one could take the
// secret or the token to another host.
func withoutRedirects(client *http.Client) *http.Client {
	if client == nil {
		client = http.DefaultClient
	}
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}
