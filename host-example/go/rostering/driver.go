package rostering

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"time"
)

// driver makes calls on one instance, many at a time.
type driver struct {
	plugin Instance
	http   *http.Client
	clock  func() time.Time
	turn   turn // held while the plugin works, and while a token is asked for
	busy   int  // calls under way; driven.mutex is held for it

	shared  *shared // among the drivers of a pool; nil without one
	applied *change // the last one of those that are shared
}

func newDriver(plugin Instance, client *http.Client) *driver {
	return &driver{plugin: plugin, http: withoutRedirects(client), clock: time.Now, turn: newTurn()}
}

// drive makes a call that sends requests.
func (d *driver) drive(ctx context.Context, call string, input map[string]any) ([]byte, error) {
	f := flight{driver: d, call: call, input: input}
	return f.run(ctx)
}

// change is a call that changes the token and sends nothing: set_token or clear_token.
type change struct {
	export string
	input  map[string]any
}

// change makes a change, in a pool for all instances.
func (d *driver) change(ctx context.Context, c *change) error {
	if err := d.turn.take(ctx); err != nil {
		return err
	}
	defer d.turn.end()
	err := d.apply(c)
	if err == nil && d.shared != nil {
		d.applied = c
		d.shared.newest.Store(c)
	}
	return err
}

// apply makes a change on this instance, in its turn.
func (d *driver) apply(c *change) error {
	input := c.input
	if c.export == setToken {
		input = d.withNow(input)
	}
	object, err := json.Marshal(input)
	if err != nil {
		return err
	}
	_, err = d.plugin.Call(c.export, object)
	return err
}

// withNow adds the time, unless it is there.
func (d *driver) withNow(input map[string]any) map[string]any {
	timed := map[string]any{"now": d.clock().Unix()}
	maps.Copy(timed, input)
	return timed
}
