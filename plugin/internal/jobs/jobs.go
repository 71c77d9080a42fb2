// Package jobs makes the request to the service and reads its answer. Nothing is
// known of the service but the request for the jobs (see docs/contract.md).
package jobs

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/redact"
)

// NewRequest is the request for the jobs; ParseResponse reads its answer.
func NewRequest(s *config.Service, token string) message.Request {
	return message.Request{Method: "GET", URL: s.BaseURL + "/jobs", Headers: headers(s, token)}
}

// NewOwnRequest is a request that the caller of the plugin made up.
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

const (
	maxBody = 64 << 10 // bytes of an answer that go into an error
	maxRead = 4 * maxBody
)

// ParseResponse returns the error that an answer of the service is, or nil for a
// 2xx. secrets gives what must not stand in the error.
func ParseResponse(a *message.Answer, secrets func() []string) *apierror.Error {
	if a.Failed() {
		return apierror.Network("no response from the service"+redact.Reason(a.Reason, secrets), "base_url")
	}
	if a.Status/100 == 2 {
		return nil
	}
	e := &apierror.Error{Code: apierror.ServiceError, Status: a.Status}
	switch {
	case a.Status == 401:
		e.Code = apierror.ServiceUnauthorized
		e.Message = "the service refused the token; check environment, scope and the client's permissions"
	case a.Status == 408 || a.Status == 429 || a.Status/100 == 5:
		e.Retryable = true
		e.Message = "the service is unavailable; retry later"
		e.RetryAfter, _ = backoff.RetryAfter(a.RetryAfter)
	default:
		e.Message = "the service refused the request; see body"
	}
	if a.Load != nil {
		body := a.Load(maxRead)
		e.Body, e.BodyTruncated = redact.Secrets(body, secrets(), maxBody, a.Size > len(body))
		e.HasBody = true
	}
	return e
}
