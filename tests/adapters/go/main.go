// The adapter of the Go library: see ../README.md.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"automatic-rostering.example/rostering/internal/counted"
	rostering "automatic-rostering.example/rostering/sdk/go"
	"automatic-rostering.example/rostering/tests/runner/protocol"
)

// client is a client with its clock.
type client struct {
	*rostering.Client
	now *atomic.Int64
}

// request is a request of ../README.md. Fields that may be null are left as JSON.
type request struct {
	protocol.Request
	Variables  map[string]string
	Timeout    json.RawMessage
	MaxBody    *int64 `json:"max_body"`
	UserAgent  string `json:"user_agent"`
	Store      store
	Now        *int64
	CustomerID json.RawMessage `json:"customer_id"`
	UserID     json.RawMessage `json:"user_id"`

	Force, Once       bool
	Refused, Secret   string
	Token             token
	Method, Path, URL string
	Headers, Query    map[string]string
	Body              *string
	Do, Key, Value    string
	TTL               float64
	Times             int
	Retry             *struct {
		Deadline float64
		Code     rostering.Code
	}
}

// The clients and stores by their names, and how to cancel the requests in progress.
var clients, stores, cancels sync.Map

func main() {
	var background sync.WaitGroup
	for in := json.NewDecoder(os.Stdin); ; {
		var r request
		if in.Decode(&r) != nil {
			break
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancels.Store(r.ID, cancel)
		if c, ok := clients.Load(r.Client); ok && r.Now != nil {
			c.(client).now.Store(*r.Now)
		}
		if r.Op == "open" { // those after it find the client
			respond(ctx, r)
		} else {
			background.Go(func() { respond(ctx, r) })
		}
	}
	background.Wait()
}

func respond(ctx context.Context, r request) {
	result, err := perform(ctx, r)
	for n := 1; n < r.Times; n++ {
		result, err = perform(ctx, r)
	}
	if err != nil {
		result = failure(err)
	}
	if c, ok := clients.Load(r.Client); ok {
		result.PluginCalls = counted.Calls(c.(client).Client)
	}
	cancels.Delete(r.ID)
	result.ID = r.ID
	_ = write(result)
}

func write(r protocol.Response) error { return json.NewEncoder(os.Stdout).Encode(r) }

func perform(ctx context.Context, r request) (a protocol.Response, err error) {
	c, isOpen := clients.Load(r.Client)
	switch {
	case r.Op == "open":
		return a, open(ctx, r)
	case r.Op == "store":
		return useStore(ctx, r)
	case r.Op == "cancel":
		if cancel, ok := cancels.Load(r.Target); ok {
			cancel.(context.CancelFunc)()
		}
		return a, nil
	case r.Op == "own" && r.Client == "":
		return own(ctx, r, nil)
	case !isOpen:
		return a, fmt.Errorf("no client %q", r.Client)
	case r.Retry == nil:
		return call(ctx, c.(client).Client, r)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(r.Retry.Deadline*float64(time.Second)))
	defer cancel()
	again := func(ctx context.Context) (protocol.Response, error) { return call(ctx, c.(client).Client, r) }
	if r.Retry.Code == "" {
		return rostering.Retry(ctx, again)
	}
	return rostering.RetryIf(ctx, func(e *rostering.Error) bool { return e.Code == r.Retry.Code }, again)
}

// failure is the response for an error.
func failure(err error) protocol.Response {
	a := protocol.Response{Text: err.Error()}
	for e := err; e != nil; e = errors.Unwrap(e) {
		a.Shown += fmt.Sprintf("%v %+v %#v ", e, e, e)
		if e != err {
			a.Cause = e.Error()
		}
	}
	if known, ok := errors.AsType[*rostering.Error](err); ok {
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Error("failed", "err", err)
		object, _ := json.Marshal(known)
		a.Shown += string(object) + log.String()
		a.Error, a.Status, a.Body, a.Headers = string(known.Full()), known.Status, []byte(known.Body), headers(known.Header)
	}
	return a
}

func open(ctx context.Context, r request) error {
	c := client{now: new(atomic.Int64)}
	c.now.Store(*r.Now)
	options := []rostering.Option{
		rostering.WithLogger(slog.New(handler{slog.DiscardHandler, r.Client})), rostering.WithHeader(lists(r.Headers)),
		rostering.WithClock(func() time.Time { return time.Unix(c.now.Load(), 0) }),
	}
	if r.Timeout != nil {
		options = append(options, rostering.WithTimeout(seconds(r.Timeout)))
	}
	if r.MaxBody != nil {
		options = append(options, rostering.WithMaxBody(*r.MaxBody))
	}
	if r.UserAgent != "" {
		options = append(options, rostering.WithHTTPClient(&http.Client{Transport: agent(r.UserAgent)}))
	}
	if r.Store.Name != "" {
		store, err := r.Store.open()
		if err != nil {
			return err
		}
		options = append(options, rostering.WithStore(store))
	}
	for name, value := range r.Variables {
		_ = os.Setenv(name, value)
		defer func() { _ = os.Unsetenv(name) }()
	}
	var err error
	if c.Client, err = rostering.New(ctx, rostering.ConfigFromEnv(), options...); err == nil {
		clients.Store(r.Client, c)
	}
	return err
}

// seconds converts a timeout. Null becomes 0, which means no timeout to the library.
func seconds(number json.RawMessage) time.Duration {
	var s float64
	_ = json.Unmarshal(number, &s)
	return time.Duration(s * float64(time.Second))
}

// handler passes the lines of a client's log on as events.
type handler struct {
	slog.Handler
	client string
}

func (h handler) Enabled(context.Context, slog.Level) bool { return true }

func (h handler) Handle(_ context.Context, r slog.Record) error {
	line := protocol.Log{Level: strings.ToLower(r.Level.String()), Line: r.Message}
	return write(protocol.Response{Event: "log", Client: h.client, Log: line})
}
