// The adapter of the Go library: see ../README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"automatic-rostering.example/rostering"
)

type request struct {
	ID                int64
	Op, Client        string
	Config, Variables map[string]string
	Timeout           json.RawMessage
	MaxBody           *int64 `json:"max_body"`
	UserAgent         string `json:"user_agent"`
	Wasm, Log         string
	Clock             bool
	Store             *storeOptions
	Now               *int64
	CustomerID        json.RawMessage `json:"customer_id"`
	UserID            json.RawMessage `json:"user_id"`
	Request           httpRequest
	Force             bool
	Refused           string
	Token             token
	Retry             *struct{ Deadline float64 }
	Do, Key, Value    string
	TTL               float64
	Target            int64
}

type token struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresAt   int64  `json:"expires_at"`
	CacheKey    string `json:"cache_key"`
}

// response is empty, and what a request adds to it.
type response map[string]any

// adapter has the clients and what is in progress.
type adapter struct {
	mutex   sync.Mutex
	clients map[string]*client
	stores  map[string]rostering.Store
	cancels map[int64]context.CancelFunc
	out     *json.Encoder
}

type client struct {
	*rostering.Client
	now atomic.Int64
}

func main() {
	a := &adapter{
		clients: map[string]*client{}, stores: map[string]rostering.Store{}, cancels: map[int64]context.CancelFunc{},
		out: json.NewEncoder(os.Stdout),
	}
	if err := a.run(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (a *adapter) run(in io.Reader) error {
	var background sync.WaitGroup
	defer background.Wait()
	requests := json.NewDecoder(bufio.NewReader(in))
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if r.Op == "open" { // those after it find the client
			a.write(r.ID, a.do(context.Background(), r))
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		a.mutex.Lock()
		a.cancels[r.ID] = cancel
		a.mutex.Unlock()
		if c := a.client(r.Client); c != nil && r.Now != nil {
			c.now.Store(*r.Now)
		}
		background.Go(func() {
			defer cancel()
			a.write(r.ID, a.do(ctx, r))
		})
	}
}

func (a *adapter) write(id int64, r response) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.cancels, id)
	r["id"] = id
	if err := a.out.Encode(r); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func (a *adapter) client(name string) *client {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.clients[name]
}

func (a *adapter) do(ctx context.Context, r request) response {
	result, err := a.perform(ctx, r)
	if err != nil {
		return failure(err)
	}
	return result
}

func (a *adapter) perform(ctx context.Context, r request) (response, error) {
	c := a.client(r.Client)
	switch r.Op {
	case "versions":
		return response{"versions": versions()}, nil
	case "open":
		return response{}, a.open(r)
	case "store":
		return a.useStore(ctx, r)
	case "cancel":
		a.mutex.Lock()
		defer a.mutex.Unlock()
		if cancel := a.cancels[r.Target]; cancel != nil {
			cancel()
		}
		return response{}, nil
	}
	if c == nil {
		return nil, fmt.Errorf("no client %q", r.Client)
	}
	if r.Retry == nil {
		return c.call(ctx, r)
	}
	ctx, cancel := context.WithTimeout(ctx, seconds(r.Retry.Deadline))
	defer cancel()
	return rostering.Retry(ctx, func(ctx context.Context) (response, error) { return c.call(ctx, r) })
}

func (a *adapter) open(r request) error {
	config, err := readConfig(r)
	if err != nil {
		return err
	}
	c := &client{}
	options := []rostering.Option{rostering.WithLogger(slog.New(handler{a, r.Client, r.Log == "throws"}))}
	if r.Timeout != nil {
		options = append(options, rostering.WithTimeout(timeout(r.Timeout)))
	}
	if r.MaxBody != nil {
		options = append(options, rostering.WithMaxBody(*r.MaxBody))
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
		store, err := a.store(r.Store)
		if err != nil {
			return err
		}
		options = append(options, rostering.WithStore(store))
	}
	if r.Clock {
		options = append(options, rostering.WithClock(func() time.Time { return time.Unix(c.now.Load(), 0) }))
	}
	if c.Client, err = rostering.New(context.Background(), config, options...); err != nil {
		return err
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.clients[r.Client] = c
	return nil
}

// userAgent is a transport that sets a User-Agent, as an HTTP client with its own does.
type userAgent string

func (u userAgent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", string(u))
	return http.DefaultTransport.RoundTrip(r)
}

// timeout reads a timeout in seconds; null is none, which is zero to the library.
func timeout(text json.RawMessage) time.Duration {
	s, _ := strconv.ParseFloat(string(text), 64)
	return seconds(s)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// failure is the response for an error.
func failure(err error) response {
	r := response{"text": err.Error(), "shown": fmt.Sprintf("%v %+v %#v", err, err, err)}
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
		r["cause"] = cause.Error()
		r["shown"] = fmt.Sprintf("%s %v %+v %#v", r["shown"], cause, cause, cause)
	}
	known, ok := errors.AsType[*rostering.Error](err)
	switch {
	case errors.Is(err, rostering.ErrClosed):
		r["closed"], r["trap"] = true, err.Error()
	case ok:
		object, _ := json.Marshal(known)
		r["error"], r["status"], r["body"], r["headers"] = string(object), known.Status, []byte(known.Body), headers(known.Header)
	case errors.Is(err, context.Canceled):
		r["canceled"] = true
	default:
		r["trap"] = err.Error()
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

// handler passes the lines of a client's log on as events.
type handler struct {
	adapter *adapter
	client  string
	throws  bool
}

func (h handler) Enabled(context.Context, slog.Level) bool { return true }
func (h handler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h handler) WithGroup(string) slog.Handler            { return h }

func (h handler) Handle(_ context.Context, r slog.Record) error {
	if h.throws {
		return errors.New("the log is full")
	}
	h.adapter.mutex.Lock()
	defer h.adapter.mutex.Unlock()
	return h.adapter.out.Encode(map[string]any{
		"event": "log", "client": h.client, "level": strings.ToLower(r.Level.String()), "line": r.Message,
	})
}

func versions() string {
	all := runtime.Version()
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, m := range build.Deps {
			if m.Path == "github.com/tetratelabs/wazero" {
				all += ", wazero " + m.Version
			}
		}
	}
	return all
}
