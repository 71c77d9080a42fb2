package rostering

import (
	"encoding/json"
	"maps"
)

// Status is what a client knows without a request. Times are in Unix seconds, or zero if unknown. The
// counts began when the client was created. Its JSON is the same in all libraries.
type Status struct {
	// TokenExpiresAt and RenewAt are those of the cached token.
	TokenExpiresAt int64 `json:"token_expires_at,omitempty"`
	RenewAt        int64 `json:"renew_at,omitempty"`
	// Renewing reports whether a token is being obtained.
	Renewing bool `json:"renewing"`
	// RetryAt is when the next token request may be sent, after a failed one, and Error why that failed.
	RetryAt int64        `json:"retry_at,omitempty"`
	Error   *StatusError `json:"error,omitempty"`

	// Calls counts the calls of ListJobs, SendRequest and GetToken that began, and FailedCalls those that
	// returned an [*Error]. A call that was canceled, also by Close, has not failed.
	Calls       int64          `json:"calls"`
	FailedCalls map[Code]int64 `json:"failed_calls"`
	// ServiceRequests counts the requests with a token, also those of a [Transport].
	ServiceRequests     int64 `json:"service_requests"`
	TokenRequests       int64 `json:"token_requests"`
	FailedTokenRequests int64 `json:"failed_token_requests"`
	// RefusedTokens counts the tokens to which the service responded with 401.
	RefusedTokens int64 `json:"refused_tokens"`
	StoreFailures int64 `json:"store_failures"`
}

// StatusError is why the last token request failed.
type StatusError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Status returns what the client and all its views know now. It sends nothing, and waits for nothing.
// That of a closed client does not change any more.
func (c *Client) Status() Status {
	if c.shared == nil {
		return Status{}
	}
	return c.shared.status()
}

func (c *shared) status() (s Status) {
	output, _ := c.use(nil, "status", object(result{"now": c.now()}))
	_ = json.Unmarshal(output, &s)
	if last := c.last.Load(); last != nil { // the client is closed, or closing
		s = *last
	}
	s.Renewing = c.holder.busy()
	s.ServiceRequests = c.sent.Load()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	s.Calls, s.FailedCalls = c.calls, maps.Clone(c.failed)
	return s
}
