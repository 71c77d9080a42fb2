package rostering

import (
	"encoding/json"
	"time"
)

// call is a call as the contract describes it.
type call struct {
	name    string // list_jobs, send_request or get_token
	input   input
	body    *body          // the request's, if the input has a body
	timeout *time.Duration // replaces the client's
}

// input has the fields of all three calls.
type input struct {
	Now        int64             `json:"now,omitempty"`         // set when the plugin is called
	CustomerID json.RawMessage   `json:"customer_id,omitempty"` // null or a string
	UserID     json.RawMessage   `json:"user_id,omitempty"`
	Path       *string           `json:"path,omitempty"`
	Method     string            `json:"method,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Body       bool              `json:"body,omitempty"` // true: the library sends it
	Force      bool              `json:"force,omitempty"`
	Refused    *string           `json:"refused,omitempty"`
}
