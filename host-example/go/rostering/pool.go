package rostering

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync/atomic"
)

// shared is what the instances of a pool share.
type shared struct {
	turn   turn                   // held while one of them asks for a token
	newest atomic.Pointer[change] // by which each gets the newest token
}

func (d *driven) shareToken() {
	s := &shared{turn: newTurn()}
	for _, driver := range d.drivers {
		driver.shared = s
	}
}

// advanceInPool is toService for an instance that shares its token: in the driver's
// turn and, if a token is needed, in the pool's.
func (f *flight) advanceInPool(ctx context.Context) (s step, err error) {
	d := f.driver
	if err := d.catchUp(); err != nil {
		return s, err
	}
	// After a 401 the plugin may drop its token and want another. Before that, it must
	// have the newest.
	if f.last.status != http.StatusUnauthorized {
		if s, err = f.next(); err != nil || !s.Request.forToken() {
			return s, err
		}
	}
	if err := d.shared.turn.take(ctx); err != nil {
		return s, err
	}
	defer d.shared.turn.end()
	if err := d.catchUp(); err != nil {
		return s, err
	}
	s, err = f.toService(ctx)
	if err == nil && f.asking && f.last.status/100 == 2 {
		d.publish()
	}
	return s, err
}

// catchUp hands the instance what the pool has newer.
func (d *driver) catchUp() error {
	newest := d.shared.newest.Load()
	if newest == d.applied {
		return nil
	}
	err := d.apply(newest)
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeTokenMismatch {
		err = nil // it has expired meanwhile, and the plugin will ask for another
	}
	if err == nil {
		d.applied = newest
	}
	return err
}

// publish hands the instance's new token to the others. Without it they would ask for
// their own, so what goes wrong here is no error of the call.
func (d *driver) publish() {
	f := flight{driver: d, call: getToken}
	s, err := f.next()
	if err != nil || s.Output == nil {
		return
	}
	var token map[string]any
	if json.Unmarshal(s.Output, &token) == nil {
		d.applied = &change{setToken, token}
		d.shared.newest.Store(d.applied)
	}
}
