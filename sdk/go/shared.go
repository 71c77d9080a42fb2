package rostering

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"automatic-rostering.example/rostering/internal/quiet"
)

// ErrClosed is returned by the methods of a closed client, and by calls that were canceled
// because it was closed.
var ErrClosed = errors.New("rostering: the client is closed")

// shared is what a client and its views share.
type shared struct {
	plugin  *plugin
	http    *http.Client
	ownHTTP bool              // whether the HTTP client is the library's own
	headers map[string]string // of each request
	store   Store             // nil if nothing is shared
	logger  *slog.Logger      // or nil
	holder  *holder
	timeout time.Duration // of a call; zero means none
	maxBody int64
	clock   func() time.Time

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

func newShared(ctx context.Context, config *Config, s *settings) (*shared, error) {
	if ctx.Err() != nil {
		return nil, left(ctx)
	}
	c := &shared{
		plugin: new(plugin), ownHTTP: s.http == nil, headers: joined(s.header), store: s.store, timeout: s.timeout, maxBody: s.maxBody,
		clock: s.clock, logger: s.logger, failed: map[Code]int64{}, ended: make(chan struct{}), templates: map[string]*http.Request{},
	}
	if err := config.checkSecret(); err != nil {
		return nil, err
	}
	if err := c.check(config.keys()); err != nil {
		return nil, err
	}
	c.holder = newHolder(c)
	if c.ownHTTP {
		s.http = &http.Client{Transport: quiet.New()}
	}
	c.http = withoutRedirects(s.http)
	c.open, c.cancel = context.WithCancelCause(context.Background())
	return c, nil
}

// check has the core check the config and the headers.
func (c *shared) check(keys map[string]string) error {
	if err := c.plugin.configure(keys); err != nil || len(c.headers) == 0 {
		return err
	}
	_, err := c.template(&call{input: input{Headers: c.headers, CustomerID: null, UserID: null}})
	if e, ok := errors.AsType[*Error](err); ok && e.Code != CodeInvalidInput {
		return nil // without a BaseURL, the client is for tokens alone
	}
	return err
}

// token makes a call of GetToken.
func (c *shared) token(ctx context.Context, call *call) (t *tokenObject, err error) {
	ctx, leave, err := c.enter(ctx, call)
	if err != nil {
		return nil, err
	}
	defer func() { leave(err) }()
	defer c.holder.settle(ctx)
	switch {
	case call.force:
		return c.holder.force(ctx)
	case call.refused != nil:
		c.holder.refuse(*call.refused, false)
		return c.holder.token(ctx, *call.refused)
	}
	return c.holder.token(ctx, "")
}

// uncounted makes a call that status does not count.
func (c *shared) uncounted(ctx context.Context, perform func() error) error {
	_, leave, err := c.enter(ctx, &call{uncounted: true})
	if err != nil {
		return err
	}
	defer leave(nil)
	return perform()
}

// changeToken calls set_token or clear_token.
func (c *shared) changeToken(export string, input any) (err error) {
	c.plugin.use(export, object(input), func(_ []byte, failed error) {
		if err = failed; err == nil {
			c.holder.forget(export == "set_token")
		}
	})
	return err
}

// use calls an export that does not change the plugin's state, for a call, or for none.
func (c *shared) use(call *call, export string, input []byte) (output []byte, err error) {
	lines := c.plugin.use(export, input, func(o []byte, e error) { output, err = o, e })
	if call == nil {
		c.log(lines...)
	} else {
		call.lines = append(call.lines, lines...)
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
func (c *shared) log(lines ...line) {
	defer func() { _ = recover() }() // of the default handler
	defer func() {
		if v := recover(); v != nil {
			slog.Default().Error(fmt.Sprintf("rostering: the log handler panicked: %v", v))
		}
	}()
	for _, l := range lines {
		logger := c.logger
		if logger == nil && l.always {
			logger = slog.Default()
		}
		if logger != nil {
			logger.Log(context.Background(), l.level, l.text)
		}
	}
}

// now returns the time, or 0, with which the core rejects the clock, if the clock panics.
func (c *shared) now() (seconds int64) {
	defer func() { _ = recover() }()
	return c.clock().Unix()
}

// enter begins a call, for which Shutdown waits. The context that it returns is canceled after
// the call's timeout, or when the client closes. leave takes the call's error.
func (c *shared) enter(ctx context.Context, call *call) (_ context.Context, leave func(error), err error) {
	if c == nil {
		return nil, nil, zeroValue("Client")
	}
	if ctx.Err() != nil {
		return nil, nil, left(ctx)
	}
	timeout := c.timeout
	if call.timeout != nil {
		timeout = *call.timeout
	}
	if timeout < 0 {
		return nil, nil, &Error{
			Code:    CodeInvalidInput,
			Message: fmt.Sprintf("WithCallTimeout: the timeout must not be negative, but is %s; 0 means none", timeout),
		}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.closed {
		return nil, nil, ErrClosed
	}
	c.running++
	if !call.uncounted {
		c.calls++
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.open, func() { cancel(ErrClosed) })
	timer := time.AfterFunc(cmp.Or(timeout, math.MaxInt64), func() { cancel(timedOut(timeout)) })
	return ctx, func(err error) {
		stop()
		timer.Stop()
		cancel(nil)
		c.mutex.Lock()
		if e, ok := errors.AsType[*Error](err); ok && !call.uncounted {
			c.failed[e.Code]++
		}
		if c.running--; c.closed && c.running == 0 {
			close(c.ended)
		}
		c.mutex.Unlock()
		c.log(call.lines...)
	}, nil
}

// zeroValue returns the error of a zero Client or Transport.
func zeroValue(name string) *Error {
	return &Error{Code: CodeInvalidInput, Message: "this is a zero " + name + ": create it with New" + strings.TrimPrefix(name, "Client")}
}

// shutdown waits for the calls in progress until ctx ends, and then cancels what is left.
func (c *shared) shutdown(ctx context.Context) (err error) {
	c.mutex.Lock()
	running := c.running > 0
	if !c.closed && !running {
		close(c.ended)
	}
	c.closed = true
	c.mutex.Unlock()
	if running {
		select {
		case <-c.ended:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	c.holder.written()
	c.cancel(ErrClosed)
	<-c.ended
	c.flows.Wait()
	return err
}

// free frees what the client holds, except for its last status.
func (c *shared) free() {
	c.reconnect()
	s := c.status()
	c.last.Store(&s)
	c.plugin.forget()
}

// reconnect has later requests use other connections, after a timeout: all may have fallen silent.
func (c *shared) reconnect() {
	if c.ownHTTP {
		c.http.CloseIdleConnections()
	}
}

// timedOut is the cause of a context that the library's own timeout canceled.
type timedOut time.Duration

// Is is for [errors.Is].
func (t timedOut) Is(target error) bool { return target == context.DeadlineExceeded }

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
			Code: CodeNetworkError, Reason: ReasonTimeout, Retryable: true, cause: context.DeadlineExceeded,
			Message: "the call " + timeout.Error() + "; retry, or set a longer timeout",
		}
	}
	return fmt.Errorf("rostering: %w", ctx.Err())
}
