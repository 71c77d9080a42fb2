package rostering

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Code is the kind of an [Error].
type Code string

// The codes. docs/errors.md explains how to act on each.
const (
	CodeInvalidInput             Code = "invalid_input"              // the input of the call is invalid
	CodeConfigMissing            Code = "config_missing"             // a field of the config is missing
	CodeConfigInvalid            Code = "config_invalid"             // a field of the config, or an option, is invalid
	CodeClockUnusable            Code = "clock_unusable"             // this machine's clock is wrong
	CodeTokenEndpointRejected    Code = "token_endpoint_rejected"    // the identity provider refused the client
	CodeTokenEndpointUnavailable Code = "token_endpoint_unavailable" // the identity provider failed
	CodeTokenResponseInvalid     Code = "token_response_invalid"     // its response has no usable token
	CodeTokenMismatch            Code = "token_mismatch"             // the token of SetToken is another client's, or expired
	CodeServiceUnauthorized      Code = "service_unauthorized"       // the service refused the token, and others or a second request
	CodeServiceError             Code = "service_error"              // the service responded with another error
	CodeNetworkError             Code = "network_error"              // no response, a timeout, or a response that is too large
	CodePluginFailed             Code = "plugin_failed"              // a bug
)

// Error is the error of a call. Unknown fields are zero. It holds no secret and no token. Printed, logged
// or marshaled, it shows neither Header nor Body: see [Error.Full].
type Error struct {
	// Code is for programs to act on.
	Code Code `json:"code"`
	// Message explains the error and how to fix it.
	Message string `json:"message"`
	// Retryable reports whether the same call may succeed later.
	Retryable bool `json:"retryable"`
	// Key is the contract's name of the config or input field that caused the error, such as
	// auth_url. Message ends with its name in this package.
	Key string `json:"key,omitempty"`
	// Problems are all that is missing or invalid in the config.
	Problems []Problem `json:"problems,omitempty"`
	// Request is what the service was sent, or nil.
	Request *Target `json:"request,omitempty"`
	// Reason is why there is no response, of a [CodeNetworkError].
	Reason Reason `json:"reason,omitempty"`
	// Status is the HTTP status of the response that caused the error.
	Status int `json:"status,omitempty"`
	// OAuthError and OAuthErrorDescription come from the identity provider
	// (RFC 6749, section 5.2).
	OAuthError            string `json:"oauth_error,omitempty"`
	OAuthErrorDescription string `json:"oauth_error_description,omitempty"`
	// RetryAfter is how long to wait before a retry: the time until the next token request
	// is sent, or what the service asked for in Retry-After. Zero means unknown.
	RetryAfter time.Duration `json:"-"`
	// Header is the header of the service's response.
	Header http.Header `json:"-"`
	// Body is the body of the service's response, up to 4 KiB.
	Body string `json:"-"`
	// BodyTruncated reports whether the body was longer.
	BodyTruncated bool `json:"-"`

	emptyBody bool  // the response had a body of no bytes
	cause     error // of a request that got no response
}

// Problem is what is wrong with a key of the config, by the contract's name, such as auth_url.
type Problem struct {
	Key     string `json:"key"`
	Message string `json:"message"`
}

// Target is the method of a request, and the path without its query.
type Target struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// Error returns the code and the message, with the status and the OAuth error:
//
//	token_endpoint_rejected: MESSAGE (status 401, invalid_client: DESCRIPTION)
func (e *Error) Error() string {
	var details []string
	if e.Status != 0 {
		details = append(details, fmt.Sprint("status ", e.Status))
	}
	if e.OAuthError != "" {
		detail := e.OAuthError
		if e.OAuthErrorDescription != "" {
			detail += ": " + e.OAuthErrorDescription
		}
		details = append(details, detail)
	}
	s := string(e.Code) + ": " + e.Message
	if len(details) > 0 {
		s += " (" + strings.Join(details, ", ") + ")"
	}
	return s
}

// Unwrap returns the cause of a network_error that occurred in this call, or nil.
func (e *Error) Unwrap() error { return e.cause }

type fields Error // without its methods

// safeObject is an error as the contract describes it, without the header and the body.
type safeObject struct {
	*fields
	RetryAfter int64 `json:"retry_after,omitempty"` // seconds
}

func (e *Error) safe() safeObject { return safeObject{(*fields)(e), int64(e.RetryAfter / time.Second)} }

// fullObject is an error as the contract describes it.
type fullObject struct {
	safeObject
	Headers       http.Header `json:"headers,omitempty"`
	Body          *string     `json:"body,omitempty"`
	BodyTruncated bool        `json:"body_truncated,omitempty"`
}

// MarshalJSON returns the contract's JSON object without the header and the body of the response, which
// may have personal data.
func (e *Error) MarshalJSON() ([]byte, error) { return json.Marshal(e.safe()) }

// Full returns the contract's JSON object, with the header and the body of the response.
func (e *Error) Full() json.RawMessage {
	o := fullObject{safeObject: e.safe(), Headers: e.Header, BodyTruncated: e.BodyTruncated}
	if e.Body != "" || e.emptyBody {
		o.Body = &e.Body
	}
	object, _ := json.Marshal(o) // cannot fail
	return object
}

// GoString returns what MarshalJSON does, for %#v.
func (e *Error) GoString() string { return "rostering.Error" + string(object(e)) }

// LogValue returns what MarshalJSON does, as a group.
func (e *Error) LogValue() slog.Value {
	var members map[string]any
	_ = json.Unmarshal(object(e), &members)
	var group []slog.Attr
	for _, key := range slices.Sorted(maps.Keys(members)) {
		group = append(group, slog.Any(key, members[key]))
	}
	return slog.GroupValue(group...)
}

// names are the names in this package of the input fields of the contract.
var names = map[string]string{
	"customer_id": "ForCustomer", "user_id": "ForUser",
	"path": "Path", "method": "Method", "headers": "Header", "body": "Body", "force": "Force", "refused": "Refused",
	"access_token": "AccessToken", "token_type": "Type", "expires_at": "ExpiresAt", "cache_key": "CacheKey",
}

func pluginFailed(why string) *Error {
	return &Error{Code: CodePluginFailed, Message: "the plugin failed, which is a bug; report it: " + why}
}

// pluginError decodes the plugin's error, and appends the name of its key in this package.
func pluginError(object []byte) error {
	e := new(Error)
	o := fullObject{safeObject: e.safe()}
	if json.Unmarshal(object, &o) != nil || e.Code == "" {
		return pluginFailed("it returned no error")
	}
	var own []string
	for _, p := range e.Problems {
		own = append(own, fieldOf(p.Key)+", ROSTERING_"+strings.ToUpper(p.Key))
	}
	switch input := names[e.Key]; {
	case e.Code == CodeInvalidInput && input != "":
		e.Message += " (" + input + ")"
	case len(own) > 0:
		e.Message += " (" + strings.Join(own, "; ") + ")"
	case e.Code == CodeClockUnusable:
		e.Message += "; in a test with a fake clock, set WithClock"
	}
	e.Header, e.BodyTruncated, e.RetryAfter = o.Headers, o.BodyTruncated, time.Duration(o.RetryAfter)*time.Second
	if o.Body != nil {
		e.Body, e.emptyBody = *o.Body, *o.Body == ""
	}
	return e
}
