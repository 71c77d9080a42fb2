package rostering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// ErrClosed is what the calls of a closed client give.
var ErrClosed = errors.New("rostering: the client is closed")

// Client is one instance of the plugin. Several goroutines may use it at once;
// they take turns, because an instance does one call at a time.
type Client struct {
	plugin  *extism.Plugin
	cache   wazero.CompilationCache
	timeout time.Duration // none if not positive
	// turn holds one value: whoever has taken it may use the plugin. A
	// sync.Mutex could not be waited for with a context.
	turn   chan struct{}
	closed bool // read and written in turn
}

func newClient(plugin *extism.Plugin, cache wazero.CompilationCache) *Client {
	c := &Client{plugin: plugin, cache: cache, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// Close waits for the call under way, if there is one, and frees the instance
// with its token. Closing again does nothing.
func (c *Client) Close(ctx context.Context) error {
	if err := c.takeTurn(ctx); err != nil {
		return fmt.Errorf("rostering: close: %w", err)
	}
	defer c.endTurn()
	if c.closed {
		return nil
	}
	c.closed = true
	return errors.Join(c.plugin.Close(ctx), c.cache.Close(ctx))
}

// call calls an export with a JSON object.
func (c *Client) call(ctx context.Context, export string, input map[string]any) ([]byte, error) {
	object, err := json.Marshal(input)
	if err != nil {
		return nil, fmt.Errorf("rostering: %s: %w", export, err)
	}
	if err := c.takeTurn(ctx); err != nil {
		return nil, fmt.Errorf("rostering: %s: %w", export, err)
	}
	defer c.endTurn()
	if c.closed {
		return nil, ErrClosed
	}
	return c.run(ctx, export, object)
}

func (c *Client) takeTurn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err // even if it is our turn
	}
	select {
	case <-c.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) endTurn() { c.turn <- struct{}{} }

// run runs an export until it returns or the context ends. All that takes long
// in the plugin is its HTTP requests, which go-sdk sends with this context: they
// fail when it ends, and the plugin traps. That leaves the instance usable and
// the token in it, so the next call goes on as if nothing had been. wazero's
// WithCloseOnContextDone, which a manifest's Timeout switches on, would close
// the instance instead.
func (c *Client) run(ctx context.Context, export string, input []byte) ([]byte, error) {
	limited, cancel := c.limit(ctx)
	defer cancel()
	_, output, err := c.plugin.CallWithContext(limited, export, input)
	if err == nil {
		return output, nil
	}
	if text := c.plugin.GetError(); text != "" {
		return nil, pluginError(text)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("rostering: %s: %w", export, ctx.Err())
	}
	return nil, trapError(err)
}

func (c *Client) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.timeout,
		fmt.Errorf("no answer within %v: %w", c.timeout, context.DeadlineExceeded))
}
