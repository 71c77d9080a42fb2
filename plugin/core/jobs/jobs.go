// Package jobs makes the requests to the service and reads its responses. All that is
// known about the service is its request for jobs (see docs/contract.md).
package jobs

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/backoff"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/redact"
)

// NewRequest returns the request for the jobs; ParseResponse reads its response.
func NewRequest(s *config.Service, token string) message.Request {
	return message.Request{Method: "GET", URL: s.BaseURL + "/jobs", Headers: headers(s, token)}
}

// NewOwnRequest returns a custom request of the plugin's caller.
func NewOwnRequest(s *config.Service, token string, own *input.Request) message.Request {
	return message.Request{Method: own.Method, URL: s.BaseURL + own.Path,
		Headers: append(headers(s, token), own.Headers...), Body: own.Body, HostBody: own.HostBody}
}

func headers(s *config.Service, token string) []message.Header {
	headers := []message.Header{{Name: "Authorization", Value: "Bearer " + token}}
	if s.CustomerID != "" {
		headers = append(headers, message.Header{Name: "CUSTOMER_ID", Value: s.CustomerID})
	}
	if s.UserID != "" {
		headers = append(headers, message.Header{Name: "USER_ID", Value: s.UserID})
	}
	return headers
}

// MaxBody is how many bytes of a response go into an error: what an interpreter of WebAssembly
// reads, redacts and writes in some milliseconds.
const MaxBody = 4 << 10

const maxRead = 4 * MaxBody

// ParseResponse returns the error for a response of the service, or nil for a 2xx. secrets
// returns what must not be in the error.
func ParseResponse(r *message.Response, secrets func() []string) *apierror.Error {
	if r.Failed() {
		return apierror.Network("no response from the service"+redact.Reason(r.Reason, secrets), "base_url")
	}
	if r.Status/100 == 2 {
		return nil
	}
	e := &apierror.Error{Code: apierror.ServiceError, Status: r.Status}
	switch {
	case r.Status == 401:
		e.Code = apierror.ServiceUnauthorized
		e.Message = "the service refused the token; check environment, scope and the client's permissions"
	case r.Status == 408 || r.Status == 429 || r.Status/100 == 5:
		e.Retryable = true
		e.Message = "the service is unavailable; retry later"
		e.RetryAfter, _ = backoff.RetryAfter(r.RetryAfter)
	default:
		e.Message = "the service refused the request; see body"
	}
	if r.Load != nil {
		body := r.Load(maxRead)
		e.Body, e.BodyTruncated = redact.Secrets(body, secrets(), MaxBody, r.Size > len(body))
		e.HasBody = true
	}
	return e
}
