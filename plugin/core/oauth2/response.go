package oauth2

import (
	"bytes"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/json"
	"automatic-rostering.example/rostering/plugin/core/message"
	"automatic-rostering.example/rostering/plugin/core/redact"
)

const (
	maxResponse     = 64 << 10 // the longest token of six providers is 16 KB
	defaultLifetime = 300      // seconds, if the response has none

	notJSON = "not a JSON object"
)

// known are the errors that RFC 6749 §5.2 names. They reveal nothing, even if one equals the
// secret by chance.
const known = "invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type invalid_scope"

// ParseTokenResponse reads the response to a token request: the access token and its lifetime
// in seconds, at most a day. secrets returns what must not be in the error.
func ParseTokenResponse(r *message.Response, secrets func() []string) (token string, lifetime int64, err *apierror.Error) {
	if r.Failed() {
		return "", 0, apierror.Network(backoff.NoResponse+redact.NewSearch(secrets()).Reason(r.Failure), r.Reason, "auth_url")
	}
	parsed := response{flaw: "longer than 64 KiB"}
	if r.Size <= maxResponse {
		parsed.parse(r.Body(r.Size))
	}
	if r.Status/100 == 2 && parsed.oauthError == "" && parsed.flaw == "" {
		return parsed.token, parsed.lifetime, nil
	}
	return "", 0, parsed.err(r, redact.NewSearch(append(secrets(), parsed.token)))
}

// response is a token response (RFC 6749 §5.1) or error response (§5.2).
type response struct {
	flaw        string // why there is no usable token
	token       string
	lifetime    int64
	oauthError  string
	description string
}

func (r *response) parse(body []byte) {
	var members [5]json.Value // if one is repeated, the first counts
	valid := json.Object(bytes.TrimPrefix(body, []byte("\ufeff")), func(name string, value json.Value) bool {
		if i := ascii.Word("access_token token_type expires_in error error_description", name); i >= 0 && members[i] == nil {
			members[i] = value
		}
		return true
	})
	r.token, r.lifetime = members[0].Text(), lifetime(members[2])
	r.oauthError, r.description = members[3].Text(), members[4].Text()
	r.flaw = r.findFlaw(valid, members[1].Text())
}

func (r *response) findFlaw(valid bool, kind string) string {
	switch {
	case !valid:
		return notJSON
	case !input.AccessToken(r.token):
		return input.AccessTokenMessage
	case ascii.Lower(kind) != "bearer":
		return "token_type is not Bearer"
	case r.lifetime <= 0:
		return "expires_in is not a positive number"
	}
	return ""
}

// lifetime reads expires_in: a number, or a string of digits, as some servers send it. It returns 0 for
// anything else.
func lifetime(value json.Value) int64 {
	switch value.Kind() {
	case json.Null:
		return defaultLifetime
	case json.String:
		seconds, _ := ascii.Digits(value.Text(), instance.MaxLifetime)
		return seconds
	case json.Number:
		if seconds, negative, _ := value.Integer(instance.MaxLifetime); !negative {
			return seconds
		}
	}
	return 0
}

func (r *response) err(from *message.Response, search *redact.Search) *apierror.Error {
	status := from.Status
	code := apierror.TokenEndpointRejected
	switch {
	case status/100 == 2:
		code = apierror.TokenResponseInvalid
	case status == 408 || status == 429 || status/100 != 3 && status/100 != 4:
		code = apierror.TokenEndpointUnavailable
	}
	e := backoff.Failed(code, int64(status)).Error()
	switch {
	case status/100 == 2 && r.oauthError != "":
		e.Message = "the token response is an OAuth error"
	case status/100 == 2:
		e.Message = backoff.UnusableResponse + " (" + r.flaw + ")" + backoff.CheckURL
	case status/100 == 3 || status == 404:
		e.Message = "the token endpoint responded with " + ascii.Int(int64(status)) + backoff.CheckURL + ", to which /connect/token is appended"
	case r.oauthError == "invalid_scope":
		e.Message = "the token endpoint refused the scope; check environment and scope"
	case r.oauthError == "unauthorized_client":
		e.Message = "the client may not use the grant client_credentials, or client_secret is wrong"
	}
	if r.flaw == notJSON && status/100 < 5 && from.Source != "" { // of a firewall, or a login page
		e.Message += "; the response is not JSON, but " + search.Text(from.Source)
	}
	if r.oauthError != "" {
		e.Message += "; see oauth_error"
		if e.OAuthError = r.oauthError; ascii.Word(known, r.oauthError) < 0 {
			e.OAuthError = search.Text(r.oauthError)
		}
	}
	e.OAuthErrorDescription = search.Text(r.description)
	return e
}
