package rostering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Client calls the service. [New] creates one; it is safe for concurrent use.
type Client struct {
	shared         *shared         // shared by all views; nil in the zero Client
	customer, user json.RawMessage // null or a string, or empty for the config's id
	view           bool
}

// New creates a client. It sends nothing. If the config lacks what every call needs, or
// anything in it is invalid, the error is an [*Error] with [CodeConfigMissing] or
// [CodeConfigInvalid].
func New(ctx context.Context, config Config, options ...Option) (*Client, error) {
	s, err := newSettings(options)
	if err != nil {
		return nil, err
	}
	shared, err := newShared(ctx, &config, s)
	if err != nil {
		return nil, err
	}
	return &Client{shared: shared}, nil
}

// ForCustomer returns a view of the client whose calls send this customer id instead of the
// config's. It shares everything else with the client, which alone can be closed.
// With an empty id, its calls return an [*Error] with [CodeInvalidInput].
func (c *Client) ForCustomer(id string) *Client {
	return &Client{c.shared, jsonString(id), c.user, true}
}

// ForNoCustomer returns a view of the client whose calls send no customer id.
func (c *Client) ForNoCustomer() *Client { return &Client{c.shared, null, c.user, true} }

// ForUser returns a view of the client whose calls send this user id: see [Client.ForCustomer].
func (c *Client) ForUser(id string) *Client {
	return &Client{c.shared, c.customer, jsonString(id), true}
}

// ForNoUser returns a view of the client whose calls send no user id.
func (c *Client) ForNoUser() *Client { return &Client{c.shared, c.customer, null, true} }

var null = json.RawMessage("null")

func jsonString(s string) json.RawMessage {
	encoded, _ := json.Marshal(s) // cannot fail
	return encoded
}

// ListJobs lists the jobs of the client's customer and user.
func (c *Client) ListJobs(ctx context.Context, options ...CallOption) (*Response, error) {
	return c.send(ctx, &call{}, options)
}

// SendRequest sends a request to the service with the token and the two ids.
func (c *Client) SendRequest(ctx context.Context, r Request, options ...CallOption) (*Response, error) {
	body := r.body()
	return c.send(ctx, &call{body: body, input: input{
		Path: new(r.path()), Method: r.Method, Headers: joined(r.Header), Body: body != nil,
	}}, options)
}

func (c *Client) send(ctx context.Context, call *call, options []CallOption) (*Response, error) {
	call.input.CustomerID, call.input.UserID = c.customer, c.user
	for _, option := range options {
		option.apply(call)
	}
	return c.shared.do(ctx, call)
}

// GetToken returns an access token for your own requests: the cached one, or a new one if
// that is about to expire. See [Force] and [Refused].
func (c *Client) GetToken(ctx context.Context, options ...TokenOption) (Token, error) {
	call := &call{}
	for _, option := range options {
		option.applyToToken(call)
	}
	t, err := c.shared.token(ctx, call)
	if err != nil {
		return Token{}, err
	}
	return t.token(), nil
}

// SetToken caches a token that another client with the same config obtained. If it has
// another config's CacheKey, or has expired, the error is an [*Error] with [CodeTokenMismatch].
func (c *Client) SetToken(ctx context.Context, t Token) error {
	return c.shared.uncounted(ctx, func() error { return c.shared.changeToken("set_token", t.object(c.shared.now())) })
}

// ClearToken forgets the token and the backoff after failed token requests. A token in a
// store of [WithStore] stays there.
func (c *Client) ClearToken(ctx context.Context) error {
	return c.shared.uncounted(ctx, func() error { return c.shared.changeToken("clear_token", result{}) })
}

// SetSecret changes the client secret of the client and all its views, after a rotation: the next token
// request uses it. The cached token stays. If the plugin rejects the secret, the error is an [*Error]
// with [CodeConfigMissing] or [CodeConfigInvalid], and the one before stays.
func (c *Client) SetSecret(ctx context.Context, secret Secret) error {
	return c.shared.uncounted(ctx, func() error { return c.shared.plugin.configure(map[string]string{"client_secret": secret.Expose()}) })
}

// Close cancels the calls in progress and forgets the token. These calls, and all later ones,
// return [ErrClosed]. A token that is being written to the store is waited for, for two seconds at
// most. For a view, it does nothing.
func (c *Client) Close() error {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Shutdown(ended); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Shutdown waits for the calls in progress and then closes the client. If ctx ends first,
// the remaining calls are canceled as by [Client.Close], and the error is that of ctx. A
// token request that no call waits for is canceled immediately; what is being written to the store
// is waited for, as by Close. For a view, it does nothing.
func (c *Client) Shutdown(ctx context.Context) error {
	if c.shared == nil || c.view {
		return nil
	}
	err := c.shared.shutdown(ctx)
	if c.shared.free(); err != nil {
		return fmt.Errorf("rostering: shutdown: %w", err)
	}
	return nil
}
