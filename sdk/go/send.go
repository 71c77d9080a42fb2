package rostering

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"time"
)

// call is a call of the client.
type call struct {
	input   input
	body    *body          // the request's, or nil
	timeout *time.Duration // replaces the client's
	force   bool           // of GetToken
	refused *string        // of GetToken

	uncounted bool   // in the status
	lines     []line // to be logged at the end
}

// input is the input of the plugin's request.
type input struct {
	CustomerID json.RawMessage   `json:"customer_id,omitempty"` // null or a string
	UserID     json.RawMessage   `json:"user_id,omitempty"`
	Path       *string           `json:"path,omitempty"`
	Method     string            `json:"method,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Body       bool              `json:"body,omitempty"`
}

var jobs = "/jobs"

// mostSends is how often a request is sent. The first other token may come from a store, and
// have been revoked, too.
const mostSends = 3

// send has attempt send a request with a token, and again with another one after a 401 if the
// request is repeatable. attempt gets all the tokens, the last of which it sends. The error is
// that of attempt, or of getting a token.
func (c *shared) send(ctx context.Context, repeatable bool, warn func(line), token func(ctx context.Context, refused string) (*tokenObject, error),
	attempt func(sent []string) (status int, err error)) error {
	defer c.holder.settle(ctx)
	t, err := token(ctx, "")
	for sent := []string(nil); err == nil; t, err = token(ctx, t.AccessToken) {
		if len(sent) > 0 {
			warn(line{level: slog.LevelWarn, text: "the service refused the token; the request is retried with another one"})
		}
		sent = append(sent, t.AccessToken)
		c.sent.Add(1)
		status, err := attempt(sent)
		if err != nil {
			return err
		}
		if status != http.StatusUnauthorized {
			c.holder.accept(t.AccessToken)
			return nil
		}
		c.holder.refuse(t.AccessToken, repeatable && len(sent) == 1)
		if !repeatable || len(sent) == mostSends {
			return nil
		}
	}
	return err
}

// do makes a call of the service.
func (c *shared) do(ctx context.Context, call *call) (response *Response, err error) {
	defer call.body.close()
	ctx, leave, err := c.enter(ctx, call)
	if err != nil {
		return nil, err
	}
	defer func() { leave(err) }()
	call.input.Headers = withDefaults(call.input.Headers, c.headers)
	q, err := c.template(call)
	if err != nil {
		return nil, err
	}
	var x result // what explain needs to know
	err = c.send(ctx, call.body.repeatable(), func(l line) { call.lines = append(call.lines, l) }, c.holder.token, func(sent []string) (_ int, err error) {
		started := time.Now()
		response, err = c.attempt(ctx, q, call.body, sent)
		x = result{"tokens": sent, "method": q.Method, "path": cmp.Or(call.input.Path, &jobs), "milliseconds": time.Since(started).Milliseconds(), "now": c.now()}
		if err != nil {
			return 0, err
		}
		return response.Status, nil
	})
	if failed, ok := errors.AsType[noResponse](err); ok {
		maps.Copy(x, failure(failed.error))
		err = c.explain(call, x)
		if e, ok := errors.AsType[*Error](err); ok {
			e.because(failed.error)
		}
		return nil, err
	}
	switch {
	case response == nil:
		return nil, err
	case err == nil && accepted(response.Status):
		return response, nil
	}
	e, ok := errors.AsType[*Error](err)
	if err != nil && !(ok && e.Code == CodeServiceUnauthorized) {
		return nil, err
	}
	x["status"], x["headers"], x["body"] = response.Status, response.Header, string(response.Body)
	err = c.explain(call, x)
	if x, known := errors.AsType[*Error](err); known {
		if response.Status == http.StatusUnauthorized && !call.body.repeatable() {
			x.Message += " (the body can be read only once, so it was not sent again)"
		}
		if ok { // the flow's error, with the response that led to it
			x.Retryable, x.RetryAfter = e.Retryable, e.RetryAfter
		}
	}
	return nil, err
}

// attempt sends a request of a call once.
func (c *shared) attempt(ctx context.Context, q *http.Request, b *body, sent []string) (*Response, error) {
	q = withToken(q.WithContext(ctx), sent[len(sent)-1])
	err := b.attach(q)
	var response *Response
	if err == nil {
		response, err = exchange(q, c.http, limits{c.maxBody + 1, maxErrorBody})
	}
	if a, ok := err.(aborted); ok {
		a.resume()
	}
	if unsent, ok := errors.AsType[bodyError](err); ok && ctx.Err() == nil {
		return nil, fmt.Errorf("rostering: body: %w", unsent.error)
	}
	switch {
	case err == nil && accepted(response.Status) && int64(len(response.Body)) > c.maxBody:
		return nil, &Error{
			Code: CodeNetworkError, Reason: ReasonProtocol,
			Message: fmt.Sprintf("the response is larger than WithMaxBody (%d bytes): raise it or request less", c.maxBody),
		}
	case err == nil:
		return response, nil
	case ctx.Err() != nil:
		if _, ok := context.Cause(ctx).(timedOut); ok || ctx.Err() == context.DeadlineExceeded {
			c.reconnect()
		}
		return nil, left(ctx)
	}
	return nil, noResponse{err}
}

// noResponse is why a request has no response.
type noResponse struct{ error }

// explain returns the error for a response that is no result, or for none.
func (c *shared) explain(call *call, x result) error {
	output, err := c.use(call, "explain", object(x))
	if err != nil {
		return err
	}
	return pluginError(output)
}

// mostTemplates bounds the templates that are kept, and mostInput their inputs, in bytes: valid ones
// are smaller.
const (
	mostTemplates = 256
	mostInput     = 512 << 10
)

// template returns the plugin's request for a call, without a body and a token. It must not
// be changed: the plugin builds the same one for the same input, so it is kept.
func (c *shared) template(call *call) (*http.Request, error) {
	key := object(&call.input)
	c.mutex.Lock()
	q := c.templates[string(key)]
	c.mutex.Unlock()
	if q != nil {
		return q, nil
	}
	if len(key) > mostInput {
		return nil, &Error{Code: CodeInvalidInput, Message: "the path, the headers and the ids are too long; shorten them"}
	}
	output, err := c.use(call, "request", key)
	if err != nil {
		return nil, err
	}
	var o outgoing
	if err = json.Unmarshal(output, &o); err == nil {
		q, err = o.request()
	}
	if err != nil {
		return nil, pluginFailed("it returned no request")
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.templates) == mostTemplates {
		clear(c.templates)
	}
	c.templates[string(key)] = q
	return q, nil
}
