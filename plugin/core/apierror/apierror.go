// Package apierror defines the errors that a host sees: one JSON object each, with a
// code for programs and a message that says what is wrong and what to do.
package apierror

import "automatic-rostering.example/rostering/plugin/core/json"

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
	Also      *Error // another error of the config, or nil
	Status    int    // of the response that caused it

	Method, Path string // of the request to the service
	Reason       string // why there is no response: see Reasons

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

// Input returns an invalid_input error about a field. A message that begins with a space is about the
// key, with which it then begins.
func Input(key, message string) *Error { return about(key, InvalidInput, message) }

// Config returns a config_invalid error about a key, in the same way.
func Config(key, message string) *Error { return about(key, ConfigInvalid, message) }

// Missing returns a config_missing error about a key: what to set it to.
func Missing(key, to string) *Error { return about(key, ConfigMissing, to) }

func about(key, code, message string) *Error {
	if message[0] == ' ' {
		message = key + message
	}
	if code == ConfigMissing {
		message = "set " + message
	}
	return &Error{Code: code, Key: key, Message: message}
}

// Reasons are why a request got no response. Without one of the others, the last one is.
const Reasons = "timeout name_resolution connection tls_certificate tls proxy protocol canceled other"

// Network returns a network_error: what happened, for one of Reasons or "", and the config key of the
// URL that was called.
func Network(what, reason, url string) *Error {
	e := &Error{Code: NetworkError, Retryable: reason != "tls_certificate", Reason: reason}
	check := url + " and the network"
	switch reason {
	case "":
		e.Reason = "other"
	case "proxy":
		check = "the proxy"
	case "tls_certificate":
		check = url + ", and trust the authority of its certificate"
	}
	e.Message = what + "; check " + check + ", then retry"
	return e
}

// Mismatch returns a token_mismatch error: what is wrong with the token.
func Mismatch(what string) *Error {
	return &Error{Code: TokenMismatch, Message: what + "; request a new one"}
}

// Request returns the method and the path of the request to the service.
func (e *Error) Request() string { return e.Method + " " + e.Path }

// JSON returns the error as a JSON object.
func (e *Error) JSON() []byte { return Object(e.Members(), e.RetryAfter) }

// Object returns an error with these members. The members are stored during a backoff, and each call
// adds the remaining seconds; 0 omits them.
func Object(members []byte, retryAfter int64) []byte {
	w := json.Writer("{")
	w.Raw(string(members))
	number(&w, "retry_after", retryAfter)
	w.Raw("}")
	return w
}

// Members returns all members of the JSON object except retry_after.
func (e *Error) Members() []byte {
	w := json.Writer(`"code":`)
	w.Text(e.Code)
	message := e.Message
	for also := e.Also; also != nil; also = also.Also {
		message += "; " + also.Message
	}
	text(&w, "message", message)
	w.Name("retryable")
	if e.Retryable {
		w.Raw("true")
	} else {
		w.Raw("false")
	}
	text(&w, "key", e.Key)
	if e.Code == ConfigMissing || e.Code == ConfigInvalid {
		e.writeProblems(&w)
	}
	if e.Path != "" {
		w.Name("request")
		w.Raw(`{"method":"`)
		w.Raw(e.Method)
		w.Raw(`"`)
		text(&w, "path", e.Path)
		w.Raw("}")
	}
	text(&w, "reason", e.Reason)
	number(&w, "status", int64(e.Status))
	text(&w, "oauth_error", e.OAuthError)
	text(&w, "oauth_error_description", e.OAuthErrorDescription)
	if e.Headers != nil {
		w.Name("headers")
		w.Raw(string(e.Headers))
	}
	if e.HasBody {
		w.Name("body")
		w.Bytes(e.Body)
	}
	if e.BodyTruncated {
		w.Raw(`,"body_truncated":true`)
	}
	return w
}

func (e *Error) writeProblems(w *json.Writer) {
	w.Name("problems")
	before := `[{"key":"`
	for ; e != nil; e = e.Also {
		w.Raw(before)
		w.Raw(e.Key)
		w.Raw(`"`)
		text(w, "message", e.Message)
		before = `},{"key":"`
	}
	w.Raw("}]")
}

// Join returns the first of two errors of the config, with all others after it. Either may be nil.
func Join(first, also *Error) *Error {
	if first == nil {
		return also
	}
	last := first
	for last.Also != nil {
		last = last.Also
	}
	last.Also = also
	return first
}

// text and number write a member unless it is unknown.

func text(w *json.Writer, name, value string) {
	if value != "" {
		w.Name(name)
		w.Text(value)
	}
}

func number(w *json.Writer, name string, value int64) {
	if value != 0 {
		w.Number(name, value)
	}
}
