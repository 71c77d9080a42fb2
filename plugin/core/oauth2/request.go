// Package oauth2 makes the token request of the client credentials grant (RFC 6749 §4.4),
// reads its response (§5), and encodes what a fleet shares about it.
package oauth2

import (
	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/message"
)

// NewTokenRequest returns the request for a token; ParseTokenResponse reads its response.
// The client authenticates in the body, as in the service's documentation (RFC 6749 §2.3.1
// prefers a header, but the service is not known to accept one).
func NewTokenRequest(c *config.Client) *message.Request {
	return &message.Request{
		Method:  "POST",
		URL:     c.TokenURL,
		Headers: []message.Header{{Name: "Content-Type", Value: "application/x-www-form-urlencoded"}},
		Body: "grant_type=client_credentials" +
			"&client_id=" + formEscape(c.ID) +
			"&client_secret=" + formEscape(c.Secret) +
			"&scope=" + formEscape(c.Scope),
	}
}
