package rostering

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Call is a call in the terms of the plugin's contract. [Client.ListJobs],
// [Client.SendRequest] and [Client.GetToken] build one and pass it to [Client.Do].
type Call struct {
	// Name is list_jobs, send_request or get_token.
	Name string
	// Input is the call's input, passed to the plugin unchanged. Without "now", the
	// plugin has no clock when the call begins.
	Input []byte
	// Body is the request's, if the input has "body":true.
	Body Body
	// Now replaces the clock in the steps after the first; zero means the clock.
	Now time.Time
	// Timeout replaces the client's time-out unless it is zero; negative means none.
	Timeout time.Duration
}

func (c *Call) now() int64 {
	if c.Now.IsZero() {
		return time.Now().Unix()
	}
	return c.Now.Unix()
}

func (c *Client) call(ctx context.Context, name string, input map[string]any, body Body, options []CallOption) (*Response, error) {
	call := Call{Name: name, Body: body}
	for _, option := range options {
		option(&call, input)
	}
	input["now"] = call.now()
	var err error
	if call.Input, err = json.Marshal(input); err != nil {
		return nil, fmt.Errorf("rostering: %s: %w", name, err)
	}
	return c.Do(ctx, call)
}

// Do makes a call. The response to get_token is the token object.
func (c *Client) Do(ctx context.Context, call Call) (*Response, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	defer c.active.Done()
	timeout := call.Timeout
	if timeout == 0 {
		timeout = c.timeout
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, timedOut(timeout))
		defer cancel()
	}
	l := loop{client: c, instance: c.instances[c.next.Add(1)%uint32(len(c.instances))], call: &call}
	return l.run(ctx)
}

// timedOut is the cause of a context that the library's own time-out canceled.
type timedOut time.Duration

func (t timedOut) Error() string { return "timed out after " + time.Duration(t).String() }

// left is the error of a caller whose context has ended: the context's, or a network_error
// if the timeout of the call has passed.
func left(ctx context.Context) error {
	if cause, ok := context.Cause(ctx).(timedOut); ok {
		return &Error{
			Code: CodeNetworkError, Retryable: true, cause: context.DeadlineExceeded,
			Message: "the call " + cause.Error() + "; call again, or set a longer timeout",
		}
	}
	return fmt.Errorf("rostering: %w", ctx.Err())
}
