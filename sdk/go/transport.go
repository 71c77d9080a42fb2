package rostering

import (
	"context"
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
// redirect. After a 401 it sends the request again with a new token, twice at most. If there is
// no new token, or the body cannot be sent again because the request has no GetBody, it returns
// the 401. A request that has its own Authorization is sent unchanged.
//
// It does not add the ids of the customer and the user. If there is no token, the error is
// an [*Error]. A Transport is not for [WithHTTPClient].
type Transport struct {
	client *Client
	base   http.RoundTripper
}

// NewTransport returns a transport that sends requests with base (default:
// [http.DefaultTransport]). Without Config.BaseURL, the error is an [*Error] with
// [CodeConfigMissing].
func NewTransport(client *Client, base http.RoundTripper) (*Transport, error) {
	if client == nil || client.driver == nil {
		return nil, zeroValue("Client")
	}
	if client.driver.base == "" {
		return nil, &Error{
			Code: CodeConfigMissing, Key: "base_url", Message: "set BaseURL: only requests to it get the token",
		}
	}
	if base == nil {
		base = http.DefaultTransport
	}
	return &Transport{client, base}, nil
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.client == nil {
		return nil, refuse(r, zeroValue("Transport"))
	}
	d := t.client.driver
	if origin(r.URL) != d.base || hasAuthorization(r.Header) {
		return t.base.RoundTrip(r)
	}
	var response *http.Response
	sent := false
	err := d.send(r.Context(), replayable(r), t.token, func(tokens []string) (_ int, err error) {
		body := r.Body
		if sent && hasBody(r) {
			if body, err = r.GetBody(); err != nil {
				return 0, err
			}
		}
		if response != nil {
			drain(response)
		}
		sent = true
		if response, err = t.attempt(r, body, tokens[len(tokens)-1]); err != nil {
			return 0, err
		}
		return response.StatusCode, nil
	})
	switch {
	case response != nil: // perhaps a 401 for which there is no other token
		return response, nil
	case sent:
		return nil, err
	}
	return nil, refuse(r, err)
}

// token returns a token, as GetToken.
func (t *Transport) token(ctx context.Context, refused string) (*tokenObject, error) {
	d := t.client.driver
	ctx, leave, err := d.enter(ctx, &call{})
	if err != nil {
		return nil, err
	}
	defer leave()
	return d.holder.token(ctx, refused)
}

// drain reads the rest of a short body, so that the connection can be reused.
func drain(response *http.Response) {
	_, _ = io.CopyN(io.Discard, response.Body, maxErrorBody)
	_ = response.Body.Close()
}

// attempt sends a copy of r with the token, which the response does not show.
func (t *Transport) attempt(r *http.Request, body io.ReadCloser, token string) (*http.Response, error) {
	q := withToken(r.WithContext(r.Context()), token)
	q.Body = body
	response, err := t.base.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	response.Request = r
	return response, nil
}

// refuse closes the body of a request that is not sent, and returns the error.
func refuse(r *http.Request, err error) error {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return err
}

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

func replayable(r *http.Request) bool { return !hasBody(r) || r.GetBody != nil }

func hasAuthorization(header http.Header) bool {
	for name := range header {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// origin returns the scheme, host and port of a URL.
func origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// baseOrigin returns the origin of Config.BaseURL, or the empty string if that is not set.
func baseOrigin(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return ""
	}
	return origin(u)
}
