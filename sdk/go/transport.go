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
//	api := &http.Client{Transport: &rostering.Transport{Client: client}}
//
// It adds the token to requests to the scheme, host and port of Config.BaseURL, and to no
// others: a redirect takes it nowhere else. If the service answers 401, it requests a new
// token and repeats the request, once. A request whose body cannot be sent again, because
// it has no GetBody, is not repeated: the caller gets the 401, and the next request the new
// token. A request that has an Authorization of its own is sent unchanged.
//
// It adds neither the customer's nor the user's id. A failed token request is an [*Error].
// A Transport is not for [WithHTTPClient].
type Transport struct {
	Client *Client
	// Base sends the requests; nil means [http.DefaultTransport].
	Base http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.Client.baseErr != nil {
		return nil, refuse(r, t.Client.baseErr)
	}
	if origin(r.URL) != t.Client.base || hasAuthorization(r.Header) {
		return t.roundTrip(r)
	}
	token, err := t.Client.GetToken(r.Context())
	if err != nil {
		return nil, refuse(r, err)
	}
	answer, err := t.send(r, r.Body, token)
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		return answer, err
	}
	return t.repeat(r, answer, token)
}

// repeat sends a request again that was answered 401.
func (t *Transport) repeat(r *http.Request, answer *http.Response, refused Token) (*http.Response, error) {
	token, err := t.Client.GetToken(r.Context(), Refused(refused.AccessToken))
	if !repeatable(r) {
		return answer, nil
	}
	if err != nil {
		drain(answer)
		return nil, err
	}
	body, err := bodyAgain(r)
	if err != nil {
		return answer, nil
	}
	drain(answer)
	return t.send(r, body, token)
}

// drain reads what is left of a short body, so that the connection can be used again.
func drain(answer *http.Response) {
	_, _ = io.CopyN(io.Discard, answer.Body, maxErrorBody)
	_ = answer.Body.Close()
}

// send sends a copy of r with the token, which the answer does not show.
func (t *Transport) send(r *http.Request, body io.ReadCloser, token Token) (*http.Response, error) {
	q := r.Clone(r.Context())
	q.Body = body
	q.Header.Set("Authorization", "Bearer "+string(token.AccessToken))
	answer, err := t.roundTrip(q)
	if err != nil {
		return nil, err
	}
	answer.Request = r
	return answer, nil
}

func (t *Transport) roundTrip(r *http.Request) (*http.Response, error) {
	if t.Base == nil {
		return http.DefaultTransport.RoundTrip(r)
	}
	return t.Base.RoundTrip(r)
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
func baseOrigin(baseURL string) (string, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return "", &Error{
			Code: CodeConfigMissing, Key: "base_url",
			Message: "set base_url: only requests to it get the token",
		}
	}
	return origin(u), nil
}
