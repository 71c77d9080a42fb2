package rostering

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Transport is an [http.RoundTripper] for requests that the caller sends with an
// [http.Client] of its own:
//
//	transport, err := rostering.NewTransport(client, nil)
//	api := &http.Client{Transport: transport}
//
// It adds the token to requests to the scheme, host and port of Config.BaseURL, and to no
// others: a redirect forwards it nowhere else. If the service answers 401, it requests a new
// token and retries the request, once. If there is no new token, or the body cannot be sent
// again because it has no GetBody, the caller gets the 401. A request that has its own
// Authorization is sent unchanged.
//
// It adds neither the customer's nor the user's id. A failed token request is an [*Error].
// A Transport is not for [WithHTTPClient].
type Transport struct {
	client *Client
	base   http.RoundTripper
}

// NewTransport returns a transport that sends requests with base, or with
// [http.DefaultTransport] if that is nil. Without Config.BaseURL it is an [*Error] with
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
	if origin(r.URL) != t.client.driver.base || hasAuthorization(r.Header) {
		return t.base.RoundTrip(r)
	}
	token, err := t.client.GetToken(r.Context())
	if err != nil {
		return nil, refuse(r, err)
	}
	response, err := t.send(r, r.Body, token)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	return t.retry(r, response, token)
}

// retry sends a request again whose response was a 401.
func (t *Transport) retry(r *http.Request, response *http.Response, refused Token) (*http.Response, error) {
	token, err := t.client.GetToken(r.Context(), Refused(refused.AccessToken))
	if err != nil || !repeatable(r) {
		return response, nil
	}
	body, err := bodyAgain(r)
	if err != nil {
		return response, nil
	}
	drain(response)
	return t.send(r, body, token)
}

// drain reads what is left of a short body, so that the connection can be used again.
func drain(response *http.Response) {
	_, _ = io.CopyN(io.Discard, response.Body, maxErrorBody)
	_ = response.Body.Close()
}

// send sends a copy of r with the token, which the response does not show.
func (t *Transport) send(r *http.Request, body io.ReadCloser, token Token) (*http.Response, error) {
	q := r.Clone(r.Context())
	q.Body = body
	q.Header.Set("Authorization", "Bearer "+string(token.AccessToken))
	response, err := t.base.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	response.Request = r
	return response, nil
}

// refuse closes the body of a request that is not sent.
func refuse(r *http.Request, err error) error {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return err
}

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

func repeatable(r *http.Request) bool { return !hasBody(r) || r.GetBody != nil }

// bodyAgain returns the body of a repeatable request from its beginning.
func bodyAgain(r *http.Request) (io.ReadCloser, error) {
	if hasBody(r) {
		return r.GetBody()
	}
	return r.Body, nil
}

func hasAuthorization(header http.Header) bool {
	for name := range header {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// origin is the scheme, host and port of a URL.
func origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// baseOrigin is the origin of the config's base_url, which is valid if it is set.
func baseOrigin(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return ""
	}
	return origin(u)
}
