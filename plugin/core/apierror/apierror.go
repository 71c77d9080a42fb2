// Package apierror defines the errors that a host sees: one JSON object each, with a
// code for programs and a message that says what is wrong and what to do.
package apierror

import (
	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/json"
)

// The codes of the contract.
const (
	InvalidInput             = "invalid_input"
	ConfigMissing            = "config_missing"
	ConfigInvalid            = "config_invalid"
	ClockUnusable            = "clock_unusable"
	TokenEndpointRejected    = "token_endpoint_rejected"
	TokenEndpointUnavailable = "token_endpoint_unavailable"
	TokenResponseInvalid     = "token_response_invalid"
	TokenMismatch            = "token_mismatch"
	ServiceUnauthorized      = "service_unauthorized"
	ServiceError             = "service_error"
	NetworkError             = "network_error"
)

// Error is an error of the contract. Empty fields are unknown, and omitted in the JSON.
type Error struct {
	Code      string
	Message   string
	Retryable bool
	Key       string // the config key or input field that caused it
	Status    int    // of the response that caused it

	OAuthError            string // RFC 6749 §5.2, error
	OAuthErrorDescription string // and error_description

	RetryAfter int64 // seconds

	Headers       []byte // of the service's response, a JSON object
	HasBody       bool
	Body          []byte // of the service's response
	BodyTruncated bool
}

// TokenRefused is the message of a service_unauthorized.
const TokenRefused = "the service refused the token; retry, then check environment, scope and the client's permissions"

// Input returns an invalid_input error about a field.
func Input(key, message string) *Error {
	return &Error{Code: InvalidInput, Key: key, Message: message}
}

// Config returns a config_invalid error about a key.
func Config(key, message string) *Error {
	return &Error{Code: ConfigInvalid, Key: key, Message: message}
}

// Missing returns a config_missing error about a key.
func Missing(key, message string) *Error {
	return &Error{Code: ConfigMissing, Key: key, Message: message}
}

// Network returns a network_error: what happened, and the config key of the URL that was
// called.
func Network(what, url string) *Error {
	return &Error{Code: NetworkError, Retryable: true,
		Message: what + "; check " + url + ", the network and the host's limits, then retry"}
}

// Mismatch returns a token_mismatch error: what is wrong with the token.
func Mismatch(what string) *Error {
	return &Error{Code: TokenMismatch, Message: what + "; request a new one with get_token"}
}

// AppendJSON appends the error as a JSON object.
func (e *Error) AppendJSON(dst []byte) []byte { return AppendObject(dst, e.Members(), e.RetryAfter) }

// AppendObject appends an error with these members. The members are stored during a
// backoff, and each call adds the remaining seconds; 0 omits them.
func AppendObject(dst, members []byte, retryAfter int64) []byte {
	dst = append(append(dst, '{'), members...)
	if retryAfter != 0 {
		dst = appendNumber(dst, "retry_after", retryAfter)
	}
	return append(dst, '}')
}

// Members returns all members of the JSON object except retry_after.
func (e *Error) Members() []byte {
	dst := appendText(nil, "code", e.Code)
	dst = appendText(append(dst, ','), "message", e.Message)
	dst = append(dst, `,"retryable":`...)
	if e.Retryable {
		dst = append(dst, "true"...)
	} else {
		dst = append(dst, "false"...)
	}
	dst = appendKnown(dst, "key", e.Key)
	if e.Status != 0 {
		dst = appendNumber(dst, "status", int64(e.Status))
	}
	dst = appendKnown(dst, "oauth_error", e.OAuthError)
	dst = appendKnown(dst, "oauth_error_description", e.OAuthErrorDescription)
	if e.Headers != nil {
		dst = append(append(dst, `,"headers":`...), e.Headers...)
	}
	return e.appendBody(dst)
}

func (e *Error) appendBody(dst []byte) []byte {
	if e.HasBody {
		dst = appendText(append(dst, ','), "body", string(e.Body))
		if e.BodyTruncated {
			dst = append(dst, `,"body_truncated":true`...)
		}
	}
	return dst
}

// AddBody adds the body of this error to another one, which is JSON without a body.
func (e *Error) AddBody(other []byte) []byte { return append(e.appendBody(other[:len(other)-1]), '}') }

func appendKnown(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return appendText(append(dst, ','), name, value)
}

func appendText(dst []byte, name, value string) []byte {
	dst = append(dst, '"')
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	return json.AppendString(dst, value) // replaces invalid UTF-8
}

func appendNumber(dst []byte, name string, value int64) []byte {
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	return ascii.AppendInt(dst, value)
}
