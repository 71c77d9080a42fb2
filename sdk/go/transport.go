package rostering

import (
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
// redirect. If the response is a 401, it requests a new token and retries the request once. If
// there is no new token, or the body cannot be sent again because the request has no GetBody,
// it returns the 401. A request that has its own Authorization is sent unchanged.
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

// retry sends a request again with a new token, or returns the 401.
func (t *Transport) retry(r *http.Request, response *http.Response, refused Token) (*http.Response, error) {
	token, err := t.client.GetToken(r.Context(), Refused(refused.AccessToken))
	if err != nil || !replayable(r) {
		return response, nil
	}
	body, err := bodyAgain(r)
	if err != nil {
		return response, nil
	}
	drain(response)
	return t.send(r, body, token)
}

// drain reads the rest of a short body, so that the connection can be reused.
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

// refuse closes the body of a request that is not sent, and returns the error.
func refuse(r *http.Request, err error) error {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return err
}

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

func replayable(r *http.Request) bool { return !hasBody(r) || r.GetBody != nil }

// bodyAgain returns the body of a replayable request from its beginning.
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
