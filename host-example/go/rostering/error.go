package rostering

import (
	"encoding/json"
	"fmt"
	"time"
)

// The codes of an [Error].
const (
	CodeInvalidInput             = "invalid_input"
	CodeConfigMissing            = "config_missing"
	CodeConfigInvalid            = "config_invalid"
	CodeClockUnusable            = "clock_unusable"
	CodeTokenEndpointRejected    = "token_endpoint_rejected"
	CodeTokenEndpointUnavailable = "token_endpoint_unavailable"
	CodeTokenResponseInvalid     = "token_response_invalid"
	CodeTokenMismatch            = "token_mismatch"
	CodeServiceUnauthorized      = "service_unauthorized"
	CodeServiceError             = "service_error"
	CodeNetworkError             = "network_error"
)

// Error is why a call failed. Fields that are not known are zero.
type Error struct {
	// Code is one of the codes above, for programs to act on.
	Code string
	// Message says what to do, for people to read.
	Message string
	// Retryable says that the same call may succeed later.
	Retryable bool
	// Key is the config key or input field at fault.
	Key string
	// Status is that of the answer at fault.
	Status int
	// OAuthError and OAuthErrorDescription are the identity provider's
	// (RFC 6749, section 5.2).
	OAuthError, OAuthErrorDescription string
	// RetryAfter is how long the plugin will send no further token request.
	RetryAfter time.Duration
	// Body is that of the service's answer, at most 64 KiB of it.
	Body string
	// BodyTruncated says that there was more.
	BodyTruncated bool

	cause error // of a request that got no answer
}

// Error gives the code and the message.
func (e *Error) Error() string { return "rostering: " + e.Code + ": " + e.Message }

// Unwrap gives the failure behind a network error, if there was one just now: a
// *url.Error mostly. Its text may hold a stack trace; Message does not.
func (e *Error) Unwrap() error { return e.cause }

// pluginError reads the plugin's error text.
func pluginError(text string) error {
	var e struct {
		Code                  string `json:"code"`
		Message               string `json:"message"`
		Retryable             bool   `json:"retryable"`
		Key                   string `json:"key"`
		Status                int    `json:"status"`
		OAuthError            string `json:"oauth_error"`
		OAuthErrorDescription string `json:"oauth_error_description"`
		RetryAfter            int64  `json:"retry_after"` // seconds
		Body                  string `json:"body"`
		BodyTruncated         bool   `json:"body_truncated"`
	}
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.Code == "" {
		return fmt.Errorf("rostering: the plugin failed: %s", text)
	}
	return &Error{
		Code: e.Code, Message: e.Message, Retryable: e.Retryable,
		Key: e.Key, Status: e.Status,
		OAuthError: e.OAuthError, OAuthErrorDescription: e.OAuthErrorDescription,
		RetryAfter: time.Duration(e.RetryAfter) * time.Second,
		Body:       e.Body, BodyTruncated: e.BodyTruncated,
	}
}
