package rostering

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// ErrClosed is returned by the methods of a closed client, and by calls that were canceled
// because it was closed.
var ErrClosed = errors.New("rostering: the client is closed")

// driver makes the calls of a client and its views.
type driver struct {
	instance *instance
	http     *http.Client
	ownHTTP  bool
	store    Store // nil if nothing is shared
	trouble  trouble
	log      func(level slog.Level, line string)
	holder   *holder
	requests requests
	timeout  time.Duration // of a call; zero means none
	maxBody  int64
	clock    func() time.Time
	base     string // the origin to which a [Transport] sends the token; empty without BaseURL

	open   context.Context // canceled to end everything in progress
	cancel context.CancelCauseFunc

	mutex  sync.Mutex
	closed bool
	calls  int            // in progress
	idle   chan struct{}  // closed when the client is closed and no call is in progress
	work   sync.WaitGroup // calls, and the flows that outlive them
	free   func() error   // after work
}

func newDriver(ctx context.Context, config *Config, s *settings) (*driver, error) {
	keys := config.keys()
	instance, err := s.load(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("rostering: %w", err)
	}
	if err := instance.check(); err != nil {
		_ = instance.close(ctx)
		return nil, err
	}
	d := &driver{
		instance: instance, http: s.http, ownHTTP: s.http == nil, store: s.store, timeout: s.timeout, maxBody: s.maxBody,
		clock: s.clock, base: baseOrigin(config.BaseURL), trouble: trouble{logger: s.logger, secret: string(config.ClientSecret)},
		log: s.log, idle: make(chan struct{}),
	}
	d.holder = newHolder(d)
	if d.ownHTTP {
		d.http = newHTTPClient()
	}
	d.http = withoutRedirects(d.http)
	d.open, d.cancel = context.WithCancelCause(context.Background())
	d.free = sync.OnceValue(d.release)
	return d, nil
}

// token makes a call of GetToken.
func (d *driver) token(ctx context.Context, call *call) (*tokenObject, error) {
	ctx, leave, err := d.enter(ctx, call)
	if err != nil {
		return nil, err
	}
	defer leave()
	defer d.holder.settle(ctx)
	if call.force {
		return d.holder.force(ctx)
	}
	if call.refused == nil {
		return d.holder.token(ctx, "")
	}
	d.holder.refuse(*call.refused, false)
	return d.holder.token(ctx, *call.refused)
}

// change calls an export that sends nothing, and then changes what the holder keeps.
func (d *driver) change(ctx context.Context, export string, of func(*holder) (input any, changed func())) error {
	_, leave, err := d.enter(ctx, &call{})
	if err != nil {
		return err
	}
	defer leave()
	input, changed := of(d.holder)
	d.instance.use(export, object(input), func(_ []byte, failed error) {
		if err = failed; err == nil {
			changed()
		}
	})
	return err
}

func (d *driver) now() int64 { return d.clock().Unix() }

// enter begins a call, for which Shutdown waits. The context that it returns ends after the
// call's timeout.
func (d *driver) enter(ctx context.Context, call *call) (limited context.Context, leave func(), err error) {
	if d == nil {
		return nil, nil, zeroValue("Client")
	}
	if ctx.Err() != nil {
		return nil, nil, left(ctx)
	}
	limited, cancel, err := d.limit(ctx, call)
	if err != nil {
		return nil, nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		cancel()
		return nil, nil, ErrClosed
	}
	d.calls++
	d.work.Add(1)
	return limited, func() {
		cancel()
		d.leave()
	}, nil
}

// zeroValue returns the error of a zero Client or Transport.
func zeroValue(name string) *Error {
	return &Error{Code: CodeInvalidInput, Message: "this is a zero " + name + ": create it with New" + strings.TrimPrefix(name, "Client")}
}

func (d *driver) leave() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.calls--; d.closed && d.calls == 0 {
		close(d.idle)
	}
	d.work.Done()
}

// shutdown waits for the calls in progress until ctx ends, and then cancels what is left.
func (d *driver) shutdown(ctx context.Context) (err error) {
	d.mutex.Lock()
	if !d.closed && d.calls == 0 {
		close(d.idle)
	}
	d.closed = true
	d.mutex.Unlock()
	select {
	case <-d.idle:
	default:
		select {
		case <-d.idle:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	d.cancel(ErrClosed)
	d.work.Wait()
	return err
}

func (d *driver) release() error {
	if d.ownHTTP {
		d.http.CloseIdleConnections()
	}
	return d.instance.close(context.Background())
}

// whileOpen returns a context that is also canceled, by [ErrClosed], when the client closes.
func (d *driver) whileOpen(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(d.open, func() { cancel(ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// limit returns the context of a call, which ends after its timeout.
func (d *driver) limit(ctx context.Context, call *call) (context.Context, context.CancelFunc, error) {
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
	ctx, cancel := d.whileOpen(ctx)
	if timeout == 0 {
		return ctx, cancel, nil
	}
	limited, cancelTimer := context.WithTimeoutCause(ctx, timeout, timedOut(timeout))
	return limited, func() {
		cancelTimer()
		cancel()
	}, nil
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
