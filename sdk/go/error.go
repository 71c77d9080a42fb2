package rostering

import (
	"encoding/json"
	"fmt"
	"net/http"
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

// Error is the error of a call. Unknown fields are zero. It holds no secret and no token.
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
	Body string `json:"body,omitempty"`
	// BodyTruncated reports whether the body was longer.
	BodyTruncated bool `json:"body_truncated,omitempty"`

	emptyBody bool  // the response had a body of no bytes
	cause     error // of a request that got no response
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

// errorObject is an error as the contract describes it.
type errorObject struct {
	*fields
	Headers    http.Header `json:"headers,omitempty"`
	Body       *string     `json:"body,omitempty"`
	RetryAfter int64       `json:"retry_after,omitempty"` // seconds
}

type fields Error // without its methods

// MarshalJSON returns the error as the contract's JSON object.
func (e *Error) MarshalJSON() ([]byte, error) {
	o := errorObject{fields: (*fields)(e), Headers: e.Header, RetryAfter: int64(e.RetryAfter / time.Second)}
	if e.Body != "" || e.emptyBody {
		o.Body = &e.Body
	}
	return json.Marshal(o)
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

// variables returns the fields of the config that a message is about, each with its variable. The message
// is a list, of which a part on a field begins with its key, or with "set" and its key.
func variables(message string) (all []string) {
	for part := range strings.SplitSeq(message, "; ") {
		key, _, _ := strings.Cut(strings.TrimPrefix(part, "set "), " ")
		if field := fieldOf(key); field != "" {
			all = append(all, field+", ROSTERING_"+strings.ToUpper(key))
		}
	}
	return all
}

// pluginError decodes the plugin's error, and appends the name of its key in this package.
func pluginError(object []byte) error {
	e := new(Error)
	o := errorObject{fields: (*fields)(e)}
	if json.Unmarshal(object, &o) != nil || e.Code == "" {
		return pluginFailed("it returned no error")
	}
	switch input := names[e.Key]; {
	case e.Code == CodeInvalidInput && input != "":
		e.Message += " (" + input + ")"
	case e.Code != CodeInvalidInput && e.Key != "":
		e.Message += " (" + strings.Join(variables(e.Message), "; ") + ")"
	case e.Code == CodeClockUnusable:
		e.Message += "; in a test with a fake clock, set WithClock"
	}
	e.Header, e.RetryAfter = o.Headers, time.Duration(o.RetryAfter)*time.Second
	if o.Body != nil {
		e.Body, e.emptyBody = *o.Body, *o.Body == ""
	}
	return e
}
