package rostering

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Transport is an [http.RoundTripper] that adds the token to your own requests:
//
//	transport, err := rostering.NewTransport(client, nil)
//	api := &http.Client{Transport: transport}
//
// Only requests to the scheme, host and port of Config.BaseURL get the token, also after a
// redirect. After a 401 it sends the request again with another token, twice at most. If there is
// no new token, or the body cannot be sent again because the request has no GetBody, it returns
// the 401. A request that has its own Authorization is sent unchanged.
//
// It does not add the ids of the customer and the user. Without a token, the request fails with
// an [*Error]. A Transport is not for [WithHTTPClient].
type Transport struct {
	client *Client
	base   http.RoundTripper
	origin string // of Config.BaseURL
}

// NewTransport returns a transport that sends requests with base (default:
// [http.DefaultTransport]). Without Config.BaseURL, the error is an [*Error] with
// [CodeConfigMissing]. For a closed client, it is [ErrClosed].
func NewTransport(client *Client, base http.RoundTripper) (*Transport, error) {
	if client == nil || client.shared == nil {
		return nil, zeroValue("Client")
	}
	var q *http.Request
	err := client.shared.uncounted(context.Background(), func() (err error) {
		q, err = client.shared.template(&call{input: input{CustomerID: null, UserID: null}})
		return err
	})
	if err != nil {
		return nil, err
	}
	if base == nil {
		base = http.DefaultTransport
	}
	return &Transport{client, base, origin(q.URL)}, nil
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.client == nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, zeroValue("Transport")
	}
	c := t.client.shared
	if origin(r.URL) != t.origin || has(r.Header, "Authorization") {
		return t.base.RoundTrip(r)
	}
	body, hasBody := r.Body, r.Body != nil && r.Body != http.NoBody
	var response *http.Response
	err := c.send(r.Context(), !hasBody || r.GetBody != nil, func(l line) { c.log(l) }, t.token, func(tokens []string) (_ int, err error) {
		if response != nil {
			if hasBody {
				if body, err = r.GetBody(); err != nil {
					return 0, err
				}
			}
			_, _ = io.CopyN(io.Discard, response.Body, maxErrorBody) // so that the connection can be reused
			_ = response.Body.Close()
		}
		q := withToken(r.WithContext(r.Context()), tokens[len(tokens)-1])
		q.Body, body = body, nil
		response, err = t.base.RoundTrip(q)
		if err == nil && response == nil {
			err = errors.New("rostering: the base RoundTripper returned neither a response nor an error")
		}
		if err != nil {
			return 0, err
		}
		response.Request = r // which does not show the token
		return response.StatusCode, nil
	})
	if response != nil { // perhaps a 401 for which there is no other token
		return response, nil
	}
	if body != nil { // not sent
		_ = body.Close()
	}
	return nil, err
}

// token returns a token, as GetToken.
func (t *Transport) token(ctx context.Context, refused string) (*tokenObject, error) {
	c := t.client.shared
	ctx, leave, err := c.enter(ctx, &call{uncounted: true})
	if err != nil {
		return nil, err
	}
	defer leave(nil)
	return c.holder.token(ctx, refused)
}

// origin returns the scheme, host and port of a URL.
func origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
