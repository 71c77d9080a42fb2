package rostering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by the methods of a closed client.
var ErrClosed = errors.New("rostering: the client is closed")

// Client calls the service. It is safe for concurrent use.
type Client struct {
	compiled  *compiled
	instances []*instance
	next      atomic.Uint32 // picks the instance for the next call
	http      *http.Client
	ownHTTP   bool
	store     Store // nil if nothing is shared
	memory    *MemoryStore
	timeout   time.Duration
	maxBody   int64
	base      string // the origin that gets the token of a [Transport]
	baseErr   error

	mutex   sync.Mutex
	closed  bool
	active  sync.WaitGroup // calls, and the sections that outlive them
	freed   chan struct{}  // closed when Close is done
	freeing error          // its result, then
}

// New creates a client. It sends nothing. If the config lacks what every call needs, or has
// something invalid, the error is an [*Error] with [CodeConfigMissing] or [CodeConfigInvalid].
func New(ctx context.Context, config Config, options ...Option) (*Client, error) {
	s := settings{timeout: DefaultTimeout, maxBody: DefaultMaxBody, instances: 1}
	for _, option := range options {
		option(&s)
	}
	keys := config.keys()
	compiled, instances, err := s.load(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("rostering: %w", err)
	}
	if err := instances[0].check(ctx); err != nil {
		_ = compiled.close(ctx)
		return nil, err
	}
	c := &Client{
		compiled: compiled, instances: instances, store: s.store, timeout: s.timeout, maxBody: s.maxBody,
		http: s.http, ownHTTP: s.http == nil, freed: make(chan struct{}),
	}
	c.base, c.baseErr = baseOrigin(keys["base_url"])
	if c.ownHTTP {
		c.http = newHTTPClient()
	}
	c.http = withoutRedirects(c.http)
	if c.store == nil && len(instances) > 1 {
		c.memory = new(MemoryStore)
		c.store = c.memory
	}
	return c, nil
}

// ListJobs lists the jobs of the config's customer and user, unless options replace them.
func (c *Client) ListJobs(ctx context.Context, options ...CallOption) (*Response, error) {
	return c.call(ctx, "list_jobs", map[string]any{}, Body{}, options)
}

// Request is a request to the service.
type Request struct {
	// Path begins with a slash and stays under Config.BaseURL. It may have a query.
	Path string
	// Method is GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS; GET if empty.
	Method string
	// Header holds additional headers. Authorization, the two ids and the headers that frame
	// a message (Host, Content-Length, …) cannot be set.
	Header map[string]string
	// Body is sent unchanged. GET and HEAD take no body.
	Body Body
}

// SendRequest sends a request to the service with the token and the two ids.
func (c *Client) SendRequest(ctx context.Context, r Request, options ...CallOption) (*Response, error) {
	input := map[string]any{"path": r.Path}
	if r.Method != "" {
		input["method"] = r.Method
	}
	if r.Header != nil {
		input["headers"] = r.Header
	}
	if r.Body.Open != nil {
		input["body"] = true
	}
	return c.call(ctx, "send_request", input, r.Body, options)
}

// GetToken returns an access token for requests that the caller sends itself: the cached
// one, or a new one if that is due. See [Force] and [Refused].
func (c *Client) GetToken(ctx context.Context, options ...CallOption) (Token, error) {
	response, err := c.call(ctx, "get_token", map[string]any{}, Body{}, options)
	if err != nil {
		return Token{}, err
	}
	return parseToken(response.Body)
}

// SetToken caches a token that another client obtained. A token that has expired or that
// belongs to another client, scope or token URL is a token_mismatch.
func (c *Client) SetToken(ctx context.Context, t Token, options ...CallOption) error {
	input, call := t.fields(), Call{}
	for _, option := range options {
		option(&call, input)
	}
	input["now"] = call.now()
	return c.each(ctx, "set_token", input)
}

// ClearToken forgets the token and the back-off after failed token requests. A token in a
// store of [WithStore] stays there.
func (c *Client) ClearToken(ctx context.Context) error {
	err := c.each(ctx, "clear_token", map[string]any{})
	if c.memory != nil {
		c.memory.clear()
	}
	return err
}

// each calls an export that sends nothing, on each instance.
func (c *Client) each(ctx context.Context, export string, input map[string]any) error {
	object, err := json.Marshal(input)
	if err != nil {
		return fmt.Errorf("rostering: %s: %w", export, err)
	}
	for _, i := range c.instances {
		if _, err := c.export(ctx, i, export, object); err != nil {
			return err
		}
	}
	return nil
}

// Export calls an export of the plugin on the first instance, with the input unchanged, and
// returns its output. It is meant for tools; the plugin cannot send requests by itself.
func (c *Client) Export(ctx context.Context, export string, input []byte) ([]byte, error) {
	return c.export(ctx, c.instances[0], export, input)
}

func (c *Client) export(ctx context.Context, i *instance, export string, input []byte) ([]byte, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	defer c.active.Done()
	return i.call(ctx, export, input)
}

// enter begins something that Close waits for.
func (c *Client) enter(ctx context.Context) error {
	if ctx.Err() != nil {
		return left(ctx)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.active.Add(1)
	return nil
}

// Close waits for the calls that began before it and frees the plugin with its token. If
// ctx ends first, Close returns and this continues in the background. Calls that begin
// later return [ErrClosed].
func (c *Client) Close(ctx context.Context) error {
	c.mutex.Lock()
	if !c.closed {
		c.closed = true
		go c.free(context.WithoutCancel(ctx))
	}
	c.mutex.Unlock()
	select {
	case <-c.freed:
		return c.freeing
	case <-ctx.Done():
		return fmt.Errorf("rostering: close: %w", ctx.Err())
	}
}

func (c *Client) free(ctx context.Context) {
	defer close(c.freed)
	c.active.Wait()
	if c.ownHTTP {
		c.http.CloseIdleConnections()
	}
	c.freeing = c.compiled.close(ctx)
}
