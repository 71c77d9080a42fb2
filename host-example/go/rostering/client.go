package rostering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	extism "github.com/extism/go-sdk"
)

// ErrClosed is what the calls of a closed client give.
var ErrClosed = errors.New("rostering: the client is closed")

// Client is one instance of the plugin, which sends its requests itself, by
// go-sdk. Several goroutines may use it at once; they take turns, because an
// instance does one call at a time.
type Client struct {
	calls
	compiled *compiled
	plugin   *extism.Plugin
	timeout  time.Duration // none if not positive
	turn     turn          // whoever has it may use the plugin
	closed   bool          // read and written in turn
}

func newClient(compiled *compiled, plugin *extism.Plugin, timeout time.Duration) *Client {
	c := &Client{compiled: compiled, plugin: plugin, timeout: timeout, turn: newTurn()}
	c.calls = calls{c.call}
	return c
}

// Close waits for the call under way, if there is one, and frees the instance
// with its token. Closing again does nothing.
func (c *Client) Close(ctx context.Context) error {
	if err := c.turn.take(ctx); err != nil {
		return fmt.Errorf("rostering: close: %w", err)
	}
	defer c.turn.end()
	if c.closed {
		return nil
	}
	c.closed = true
	return errors.Join(c.plugin.Close(ctx), c.compiled.close(ctx))
}

// call calls an export with a JSON object.
func (c *Client) call(ctx context.Context, export string, input map[string]any) ([]byte, error) {
	object, err := json.Marshal(input)
	if err != nil {
		return nil, fmt.Errorf("rostering: %s: %w", export, err)
	}
	if err := c.turn.take(ctx); err != nil {
		return nil, fmt.Errorf("rostering: %s: %w", export, err)
	}
	defer c.turn.end()
	if c.closed {
		return nil, ErrClosed
	}
	return c.run(ctx, export, object)
}

// run runs an export until it returns or the context ends. All that takes long
// in the plugin is its HTTP requests, which go-sdk sends with this context: they
// fail when it ends, and the plugin traps. That leaves the instance usable and
// the token in it, so the next call goes on as if nothing had been. wazero's
// WithCloseOnContextDone, which a manifest's Timeout switches on, would close
// the instance instead.
func (c *Client) run(ctx context.Context, export string, input []byte) ([]byte, error) {
	limited, cancel := limit(ctx, c.timeout)
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
