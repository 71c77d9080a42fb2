package rostering

import (
	"context"
	"unicode/utf8"
)

// The plugin's exports.
const (
	getToken    = "get_token"
	listJobs    = "list_jobs"
	sendRequest = "send_request"
	setToken    = "set_token"
	clearToken  = "clear_token"
	begin       = "begin"
	resume      = "resume"
)

var exports = []string{getToken, listJobs, sendRequest, setToken, clearToken, begin, resume}

// calls are the calls that [Client], [Driver] and [Pool] have in common; do makes
// them, each in its own way.
type calls struct {
	do func(ctx context.Context, export string, input map[string]any) ([]byte, error)
}

// JobsInput is what differs from the [Config] in one call.
type JobsInput struct {
	// CustomerID and UserID replace the config's, unless empty.
	CustomerID, UserID string
	// OmitCustomerID and OmitUserID leave the header out, whatever else is set.
	OmitCustomerID, OmitUserID bool
}

func (in JobsInput) fields() map[string]any {
	fields := map[string]any{}
	set := func(name, id string, omit bool) {
		switch {
		case omit:
			fields[name] = nil
		case id != "":
			fields[name] = id
		}
	}
	set("customer_id", in.CustomerID, in.OmitCustomerID)
	set("user_id", in.UserID, in.OmitUserID)
	return fields
}

// Jobs lists the jobs of the config's customer and user. It gives the service's
// answer byte for byte.
func (c calls) Jobs(ctx context.Context) ([]byte, error) {
	return c.JobsFor(ctx, JobsInput{})
}

// JobsFor is Jobs for another customer or user.
func (c calls) JobsFor(ctx context.Context, in JobsInput) ([]byte, error) {
	return c.do(ctx, listJobs, in.fields())
}

// Request is a request of your own to the service.
type Request struct {
	// Path begins with a slash and stays under Config.BaseURL. It may have a
	// query.
	Path string
	// Method is GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS; GET if empty.
	Method string
	// Headers are sent as well. Authorization, the two ids and what frames a
	// message (Host, Content-Length, …) are not the caller's to set.
	Headers map[string]string
	// Body is text, without which none is sent. GET and HEAD have none.
	Body string
	// For says whose request it is, as with the jobs.
	For JobsInput
}

// SendRequest sends a request to the service, with the token and the two ids. It
// gives the body of the answer byte for byte.
func (c calls) SendRequest(ctx context.Context, r Request) ([]byte, error) {
	if !utf8.ValidString(r.Body) { // JSON would change it on its way to the plugin
		return nil, &Error{Code: CodeInvalidInput, Key: "body", Message: "body must be text in UTF-8"}
	}
	fields := r.For.fields()
	fields["path"] = r.Path
	if r.Method != "" {
		fields["method"] = r.Method
	}
	if r.Headers != nil {
		fields["headers"] = r.Headers
	}
	if r.Body != "" {
		fields["body"] = r.Body
	}
	return c.do(ctx, sendRequest, fields)
}

// Token gives an access token for requests that you send otherwise: the one that
// the plugin has, or a new one.
func (c calls) Token(ctx context.Context) (Token, error) {
	return c.token(ctx, map[string]any{})
}

// ForceToken asks for a new token in any case. If that fails, the plugin keeps
// the one it has.
func (c calls) ForceToken(ctx context.Context) (Token, error) {
	return c.token(ctx, map[string]any{"force": true})
}

func (c calls) token(ctx context.Context, input map[string]any) (Token, error) {
	object, err := c.do(ctx, getToken, input)
	if err != nil {
		return Token{}, err
	}
	return ParseToken(object)
}

// SetToken has a token used that another client got, perhaps in another process,
// so that none need be asked for. One that has expired, or that belongs to another
// client, scope or token URL, is a token_mismatch.
func (c calls) SetToken(ctx context.Context, t Token) error {
	_, err := c.do(ctx, setToken, t.fields())
	return err
}

// ClearToken forgets the token, and that token requests failed.
func (c calls) ClearToken(ctx context.Context) error {
	_, err := c.do(ctx, clearToken, map[string]any{})
	return err
}
