package rostering

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by the methods of a closed client, and by calls that were canceled
// because it was closed.
var ErrClosed = errors.New("rostering: the client is closed")

// driver makes the calls of a client and its views.
type driver struct {
	instance *instance
	http     atomic.Pointer[http.Client] // which the library replaces if it is its own
	ownHTTP  bool
	headers  map[string]string // of each request
	store    Store             // nil if nothing is shared
	logger   *slog.Logger      // or nil
	holder   *holder
	timeout  time.Duration // of a call; zero means none
	maxBody  int64
	clock    func() time.Time

	open   context.Context // canceled when the client closes
	cancel context.CancelCauseFunc
	flows  sync.WaitGroup

	sent atomic.Int64 // requests to the service
	last atomic.Pointer[Status]

	mutex     sync.Mutex
	closed    bool
	running   int                      // calls in progress
	calls     int64                    // that began
	failed    map[Code]int64           // of these
	ended     chan struct{}            // closed when the client is closed and no call in progress
	templates map[string]*http.Request // of requests, by their inputs
}

func newDriver(ctx context.Context, config *Config, s *settings) (*driver, error) {
	keys := config.keys()
	instance, err := s.load(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("rostering: %w", err)
	}
	d := &driver{
		instance: instance, ownHTTP: s.http == nil, headers: joined(s.header), store: s.store, timeout: s.timeout, maxBody: s.maxBody,
		clock: s.clock, logger: s.logger, failed: map[Code]int64{}, ended: make(chan struct{}), templates: map[string]*http.Request{},
	}
	if err := d.check(); err != nil {
		_ = instance.close()
		return nil, err
	}
	d.holder = newHolder(d)
	if d.http.Store(newHTTPClient()); !d.ownHTTP {
		d.http.Store(withoutRedirects(s.http))
	}
	d.open, d.cancel = context.WithCancelCause(context.Background())
	return d, nil
}

// check refuses a plugin with another contract, and has the plugin check the config and the headers.
func (d *driver) check() error {
	var plugin struct{ Contract int }
	if output, err := d.use(nil, "version", nil); err != nil || json.Unmarshal(output, &plugin) != nil || plugin.Contract != Contract {
		return fmt.Errorf("rostering: the plugin has contract %d, but this library needs %d: use the library from the plugin's release",
			plugin.Contract, Contract)
	}
	if _, err := d.use(nil, "check", nil); err != nil || len(d.headers) == 0 {
		return err
	}
	_, err := d.template(&call{input: input{Headers: d.headers, CustomerID: null, UserID: null}})
	if e, ok := errors.AsType[*Error](err); ok && e.Code != CodeInvalidInput {
		return nil // without a BaseURL, the client is for tokens alone
	}
	return err
}

// token makes a call of GetToken.
func (d *driver) token(ctx context.Context, call *call) (t *tokenObject, err error) {
	ctx, leave, err := d.enter(ctx, call)
	if err != nil {
		return nil, err
	}
	defer func() { leave(err) }()
	defer d.holder.settle(ctx)
	switch {
	case call.force:
		return d.holder.force(ctx)
	case call.refused != nil:
		d.holder.refuse(*call.refused, false)
		return d.holder.token(ctx, *call.refused)
	}
	return d.holder.token(ctx, "")
}

// change changes the plugin's state.
func (d *driver) change(ctx context.Context, change func() error) error {
	_, leave, err := d.enter(ctx, &call{uncounted: true})
	if err != nil {
		return err
	}
	defer leave(nil)
	return change()
}

// changeToken calls set_token or clear_token.
func (d *driver) changeToken(export string, input any) (err error) {
	d.instance.use(export, object(input), func(_ []byte, failed error) {
		if err = failed; err == nil {
			d.holder.drop(export == "set_token")
		}
	})
	return err
}

// use calls an export that does not change the plugin's state, for a call, or for none.
func (d *driver) use(c *call, export string, input []byte) (output []byte, err error) {
	lines := d.instance.use(export, input, func(o []byte, e error) { output, err = o, e })
	if c == nil {
		d.log(lines...)
	} else {
		c.lines = append(c.lines, lines...)
	}
	return output, err
}

// line is a line of the log.
type line struct {
	level  slog.Level
	text   string
	always bool // also without a logger, by the default one
}

// log logs lines. It is not called while something is locked, or within a call or a flow, because the
// handler may call the client, and even close it.
func (d *driver) log(lines ...line) {
	defer func() {
		if v := recover(); v != nil {
			slog.Default().Error(fmt.Sprintf("rostering: the log handler panicked: %v", v))
		}
	}()
	for _, l := range lines {
		logger := d.logger
		if logger == nil && l.always {
			logger = slog.Default()
		}
		if logger != nil {
			logger.Log(context.Background(), l.level, l.text)
		}
	}
}

func (d *driver) now() int64 { return d.clock().Unix() }

// enter begins a call, for which Shutdown waits. The context that it returns is canceled after
// the call's timeout, or when the client closes. leave takes the call's error.
func (d *driver) enter(ctx context.Context, call *call) (_ context.Context, leave func(error), err error) {
	if d == nil {
		return nil, nil, zeroValue("Client")
	}
	if ctx.Err() != nil {
		return nil, nil, left(ctx)
	}
	timeout := d.timeout
	if call.timeout != nil {
		timeout = *call.timeout
	}
	if timeout < 0 {
		return nil, nil, &Error{
			Code:    CodeInvalidInput,
			Message: fmt.Sprintf("WithCallTimeout: the timeout must not be negative, but is %s; 0 means none", timeout),
		}
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, nil, ErrClosed
	}
	d.running++
	if !call.uncounted {
		d.calls++
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(d.open, func() { cancel(ErrClosed) })
	timer := time.AfterFunc(cmp.Or(timeout, math.MaxInt64), func() { cancel(timedOut(timeout)) })
	return ctx, func(err error) {
		stop()
		timer.Stop()
		cancel(nil)
		d.mutex.Lock()
		if e, ok := errors.AsType[*Error](err); ok && !call.uncounted {
			d.failed[e.Code]++
		}
		if d.running--; d.closed && d.running == 0 {
			close(d.ended)
		}
		d.mutex.Unlock()
		d.log(call.lines...)
	}, nil
}

// zeroValue returns the error of a zero Client or Transport.
func zeroValue(name string) *Error {
	return &Error{Code: CodeInvalidInput, Message: "this is a zero " + name + ": create it with New" + strings.TrimPrefix(name, "Client")}
}

// shutdown waits for the calls in progress until ctx ends, and then cancels what is left.
func (d *driver) shutdown(ctx context.Context) (err error) {
	d.mutex.Lock()
	running := d.running > 0
	if !d.closed && !running {
		close(d.ended)
	}
	d.closed = true
	d.mutex.Unlock()
	if running {
		select {
		case <-d.ended:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	d.cancel(ErrClosed)
	<-d.ended
	d.flows.Wait()
	return err
}

// free frees the plugin, whose last status stays.
func (d *driver) free() error {
	if d.ownHTTP {
		d.http.Load().CloseIdleConnections()
	}
	s := d.status()
	d.last.Store(&s)
	return d.instance.close()
}

// reconnect has later requests use other connections, after a timeout: those of HTTP/2 may have fallen
// silent, and would be used again.
func (d *driver) reconnect(before *http.Client) {
	if d.ownHTTP && d.http.CompareAndSwap(before, newHTTPClient()) {
		before.CloseIdleConnections()
	}
}

// timedOut is the cause of a context that the library's own timeout canceled.
type timedOut time.Duration

func (t timedOut) Error() string { return "timed out after " + time.Duration(t).String() }

// left is the error of a caller whose context has ended: [ErrClosed], a network_error if the
// call timed out, or else the context's error.
func left(ctx context.Context) error {
	cause := context.Cause(ctx)
	if cause == ErrClosed {
		return ErrClosed
	}
	if timeout, ok := cause.(timedOut); ok {
		return &Error{
			Code: CodeNetworkError, Retryable: true, cause: context.DeadlineExceeded,
			Message: "the call " + timeout.Error() + "; retry, or set a longer timeout",
		}
	}
	return fmt.Errorf("rostering: %w", ctx.Err())
}
