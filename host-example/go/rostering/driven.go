package rostering

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	extism "github.com/extism/go-sdk"
)

// Driver is one instance of the plugin, which says what to send, and net/http,
// which sends it. Any number of goroutines may use it at once: their requests are
// under way at the same time, and one token request serves them all.
//
// It has the methods of a [Client], and gives the same errors. In addition it tells
// why a request got no answer, follows no redirects, and waits as long as the
// identity provider says in Retry-After.
type Driver struct{ *driven }

// Pool is a [Driver] with several instances, for programs in which the work of one
// (at a time, some hundred microseconds for a call) is too little. They share one
// token. A call takes the instance with the fewest calls under way.
//
// After a failed token request only the instance that sent it waits.
type Pool struct{ *driven }

// driven is what Driver and Pool have in common.
type driven struct {
	calls
	compiled *compiled
	drivers  []*driver
	timeout  time.Duration // none if not positive
	own      *http.Client  // nil if the caller brought one

	mutex    sync.Mutex
	closed   bool
	freed    bool
	underWay sync.WaitGroup
}

func openDriven(ctx context.Context, wasm []byte, config *Config, size int, options []Option) (*driven, error) {
	s := newSettings(options)
	// Without allowed hosts the plugin's own HTTP is switched off.
	compiled, plugins, err := s.open(ctx, manifest(wasm, config, nil), size)
	if err != nil {
		return nil, err
	}
	d := &driven{compiled: compiled, timeout: config.timeout()}
	client := s.http
	if client == nil {
		d.own = newHTTPClient()
		client = d.own
	}
	for _, plugin := range plugins {
		d.drivers = append(d.drivers, newDriver(instance{plugin}, client))
	}
	d.calls = calls{d.call}
	return d, nil
}

// instance is an instance of go-sdk.
type instance struct{ plugin *extism.Plugin }

func (i instance) Call(export string, input []byte) ([]byte, error) {
	_, output, err := i.plugin.Call(export, input)
	if err == nil {
		return output, nil
	}
	if text := i.plugin.GetError(); text != "" {
		return nil, pluginError(text)
	}
	return nil, trapError(err)
}

// Close waits for the calls under way and frees the instances with their token. If
// ctx ends before, close again. No call begins in the meantime.
func (d *driven) Close(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("rostering: close: %w", err)
	}
	d.mutex.Lock()
	d.closed = true
	d.mutex.Unlock()
	idle := make(chan struct{})
	go func() {
		d.underWay.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return d.free(ctx)
	case <-ctx.Done():
		return fmt.Errorf("rostering: close: %w", ctx.Err())
	}
}

func (d *driven) free(ctx context.Context) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.freed {
		return nil
	}
	d.freed = true
	if d.own != nil {
		d.own.CloseIdleConnections()
	}
	return d.compiled.close(ctx)
}

// begin picks the driver for a call; end ends it.
func (d *driven) begin() (*driver, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	d.underWay.Add(1)
	picked := slices.MinFunc(d.drivers, func(a, b *driver) int { return a.busy - b.busy })
	picked.busy++
	return picked, nil
}

func (d *driven) end(picked *driver) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	picked.busy--
	d.underWay.Done()
}

// call makes a call, or calls an export that sends nothing.
func (d *driven) call(ctx context.Context, export string, input map[string]any) (output []byte, err error) {
	picked, err := d.begin()
	if err != nil {
		return nil, err
	}
	defer d.end(picked)
	limited, cancel := limit(ctx, d.timeout)
	defer cancel()
	if export == setToken || export == clearToken {
		err = picked.change(limited, &change{export, input})
	} else {
		output, err = picked.drive(limited, export, input)
	}
	return output, timedOut(ctx, limited, export, err)
}

// timedOut says so of an error that came of it that a context ended: the caller's, or
// the one that the time-out limits.
func timedOut(ctx, limited context.Context, export string, err error) error {
	e, known := errors.AsType[*Error](err)
	switch {
	case err == nil || known && e.cause == nil:
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("rostering: %s: %w", export, ctx.Err())
	case !known && limited.Err() != nil: // it waited for its turn all the time
		cause := context.Cause(limited)
		return &Error{Code: CodeNetworkError, Message: cause.Error(), Retryable: true, cause: cause}
	}
	return err
}
