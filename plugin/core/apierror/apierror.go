// Package apierror defines the errors that a host sees: one JSON object each, with a
// code for programs and a message that says what is wrong and what to do.
package apierror

import "automatic-rostering/plugin/core/json"

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

// JSON returns the error as a JSON object.
func (e *Error) JSON() []byte { return Object(e.Members(), e.RetryAfter) }

// Object returns an error with these members. The members are stored during a backoff, and each call
// adds the remaining seconds; 0 omits them.
func Object(members []byte, retryAfter int64) []byte {
	w := writer{json.Writer("{")}
	w.Raw(string(members))
	w.number("retry_after", retryAfter)
	w.Raw("}")
	return w.Writer
}

// Members returns all members of the JSON object except retry_after.
func (e *Error) Members() []byte {
	w := writer{}
	w.Raw(`"code":`)
	w.Text(e.Code)
	w.known("message", e.Message)
	w.name("retryable")
	if e.Retryable {
		w.Raw("true")
	} else {
		w.Raw("false")
	}
	w.known("key", e.Key)
	w.number("status", int64(e.Status))
	w.known("oauth_error", e.OAuthError)
	w.known("oauth_error_description", e.OAuthErrorDescription)
	if e.Headers != nil {
		w.name("headers")
		w.Raw(string(e.Headers))
	}
	w.body(e)
	return w.Writer
}

// AddBody adds the body of this error to another one, which is JSON without a body.
func (e *Error) AddBody(other []byte) []byte {
	w := writer{other[:len(other)-1]}
	w.body(e)
	w.Raw("}")
	return w.Writer
}

// writer writes members after the first.
type writer struct{ json.Writer }

func (w *writer) body(e *Error) {
	if e.HasBody {
		w.name("body")
		w.Text(string(e.Body))
		if e.BodyTruncated {
			w.Raw(`,"body_truncated":true`)
		}
	}
}

func (w *writer) name(name string) {
	w.Raw(`,"`)
	w.Raw(name)
	w.Raw(`":`)
}

func (w *writer) known(name, value string) {
	if value != "" {
		w.name(name)
		w.Text(value)
	}
}

func (w *writer) number(name string, value int64) {
	if value != 0 {
		w.name(name)
		w.Int(value)
	}
}
