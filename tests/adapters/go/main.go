// The adapter of the Go library: see ../README.md.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"automatic-rostering.example/rostering"
)

type request struct {
	ID, Target                                     int64
	Op, Client, Wasm, Log, Refused, Do, Key, Value string
	Clock, Force                                   bool
	Times                                          int
	Config, Variables                              map[string]string
	UserAgent                                      string `json:"user_agent"`
	MaxBody                                        *int64 `json:"max_body"`
	Now                                            *int64
	Timeout                                        optional[float64]
	CustomerID                                     optional[string] `json:"customer_id"`
	UserID                                         optional[string] `json:"user_id"`
	TTL                                            float64
	Store                                          *storeOptions
	Request                                        httpRequest
	Token                                          token
	Secret                                         string
	Headers                                        map[string]string
	Retry                                          *struct {
		Deadline float64
		Codes    []rostering.Code
	}
}

// optional is a field that may be null, or not there.
type optional[T any] struct {
	given bool
	value T // zero for null
	null  bool
}

func (o *optional[T]) UnmarshalJSON(text []byte) error {
	o.given, o.null = true, string(text) == "null"
	return json.Unmarshal(text, &o.value)
}

// response is empty, and what a request adds to it.
type response map[string]any

func (r response) write() error { return json.NewEncoder(os.Stdout).Encode(r) }

// client is a client with its clock.
type client struct {
	*rostering.Client
	now *atomic.Int64
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
	if err != nil {
		result = failure(err)
	}
	cancels.Delete(r.ID)
	result["id"] = r.ID
	_ = result.write()
}

func perform(ctx context.Context, r request) (response, error) {
	switch r.Op {
	case "versions":
		build, _ := debug.ReadBuildInfo()
		i := slices.IndexFunc(build.Deps, func(m *debug.Module) bool { return m.Path == "github.com/tetratelabs/wazero" })
		return response{"versions": runtime.Version() + ", wazero " + build.Deps[i].Version}, nil
	case "open":
		return response{}, open(ctx, r)
	case "store":
		return useStore(ctx, r)
	case "cancel":
		if cancel, ok := cancels.Load(r.Target); ok {
			cancel.(context.CancelFunc)()
		}
		return response{}, nil
	}
	if r.Op == "repeat" && r.Request.URL != "" {
		return response{}, r.Request.bare(ctx, r.Times)
	}
	c, ok := clients.Load(r.Client)
	if !ok {
		return nil, fmt.Errorf("no client %q", r.Client)
	}
	if r.Retry == nil {
		return call(ctx, c.(client).Client, r)
	}
	ctx, cancel := context.WithTimeout(ctx, seconds(r.Retry.Deadline))
	defer cancel()
	again := func(ctx context.Context) (response, error) { return call(ctx, c.(client).Client, r) }
	if r.Retry.Codes == nil {
		return rostering.Retry(ctx, again)
	}
	return rostering.RetryIf(ctx, func(e *rostering.Error) bool { return slices.Contains(r.Retry.Codes, e.Code) }, again)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// failure is the response for an error.
func failure(err error) response {
	r, shown := response{"text": err.Error()}, ""
	for e := err; e != nil; e = errors.Unwrap(e) {
		shown += fmt.Sprintf("%v %+v %#v ", e, e, e)
		if e != err {
			r["cause"] = e.Error()
		}
	}
	r["shown"] = shown
	known, ok := errors.AsType[*rostering.Error](err)
	switch {
	case ok:
		object, _ := json.Marshal(known)
		r["error"], r["status"], r["body"], r["headers"] = string(object), known.Status, []byte(known.Body), headers(known.Header)
	case errors.Is(err, context.Canceled):
		r["canceled"] = true
	default:
		r["closed"], r["trap"] = errors.Is(err, rostering.ErrClosed), err.Error()
	}
	return r
}

// headers are those of a response, with names in lower case.
func headers(h http.Header) map[string]string {
	lower := map[string]string{}
	for name, values := range h {
		lower[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return lower
}

func open(ctx context.Context, r request) error {
	config, err := readConfig(r)
	if err != nil {
		return err
	}
	c := client{now: new(atomic.Int64)}
	options := []rostering.Option{rostering.WithLogger(slog.New(handler{slog.DiscardHandler, r}))}
	if r.Timeout.given {
		options = append(options, rostering.WithTimeout(seconds(r.Timeout.value)))
	}
	if r.MaxBody != nil {
		options = append(options, rostering.WithMaxBody(*r.MaxBody))
	}
	if r.Headers != nil {
		options = append(options, rostering.WithHeader(lists(r.Headers)))
	}
	if r.UserAgent != "" {
		options = append(options, rostering.WithHTTPClient(&http.Client{Transport: userAgent(r.UserAgent)}))
	}
	if r.Wasm != "" {
		wasm, err := os.ReadFile(r.Wasm)
		if err != nil {
			return err
		}
		options = append(options, rostering.WithPlugin(wasm))
	}
	if r.Store != nil {
		store, err := r.Store.open()
		if err != nil {
			return err
		}
		options = append(options, rostering.WithStore(store))
	}
	if r.Clock {
		options = append(options, rostering.WithClock(func() time.Time { return time.Unix(c.now.Load(), 0) }))
	}
	c.Client, err = rostering.New(ctx, config, options...)
	if err == nil {
		clients.Store(r.Client, c)
	}
	return err
}

// readConfig reads a config as programs do: from variables, or as a [rostering.Config].
func readConfig(r request) (config rostering.Config, err error) {
	if r.Variables != nil {
		for name, value := range r.Variables {
			_ = os.Setenv(name, value)
			defer func() { _ = os.Unsetenv(name) }()
		}
		return rostering.ConfigFromEnv(), nil
	}
	for key, value := range r.Config {
		name := strings.ReplaceAll(key, "_", "")
		field := reflect.ValueOf(&config).Elem().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
		switch field.Kind() {
		case reflect.Invalid:
			return config, fmt.Errorf("a Config has no %s", key)
		case reflect.Bool:
			field.SetBool(value == "true")
		case reflect.String:
			field.SetString(value)
		default: // whole seconds; zero is the default to the library, and less than zero none
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return config, err
			}
			field.SetInt(cmp.Or(n*int64(time.Second), -1))
		}
	}
	return config, nil
}

// handler passes the lines of a client's log on as events, or throws.
type handler struct {
	slog.Handler
	opened request
}

func (h handler) Enabled(context.Context, slog.Level) bool { return true }

func (h handler) Handle(_ context.Context, r slog.Record) error {
	if h.opened.Log == "throws" {
		return errors.New("the log is full")
	}
	event := response{"event": "log", "client": h.opened.Client, "level": strings.ToLower(r.Level.String()), "line": r.Message}
	return event.write()
}

// userAgent is a transport that sets a User-Agent, as an HTTP client with its own does.
type userAgent string

func (u userAgent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", string(u))
	return http.DefaultTransport.RoundTrip(r)
}
