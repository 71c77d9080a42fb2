package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"automatic-rostering.example/rostering"
	"automatic-rostering/tests/conformance/protocol"
)

// client is a client of the library, called through its public API. Input that the API cannot express
// goes to a plain instance with the same config, which must refuse it.
type client struct {
	*rostering.Client
	logs
	clock atomic.Int64
	plain func() (instance, error)
}

func (h *host) createClient(ctx context.Context, r protocol.Request) (instance, error) {
	config, err := readConfig(r.Config)
	if err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(r.Wasm)
	if err != nil {
		return nil, err
	}
	c := &client{plain: sync.OnceValues(func() (instance, error) { return h.createPlain(context.WithoutCancel(ctx), r) })}
	options := []rostering.Option{
		rostering.WithPlugin(wasm), rostering.WithLogger(slog.New(handler{&c.logs})),
		rostering.WithClock(func() time.Time { return time.Unix(c.clock.Load(), 0) }),
	}
	if r.Store != "" {
		options = append(options, rostering.WithStore(store(r.Store)))
	}
	c.Client, err = rostering.New(ctx, config, options...)
	return c, err
}

// readConfig reads a config, which may be invalid, as programs do.
func readConfig(values map[string]string) (rostering.Config, error) {
	for _, key := range []string{"environment", "auth_url", "base_url", "client_id", "client_secret",
		"customer_id", "user_id", "scope", "refresh_margin", "allow_http"} {
		if err := os.Setenv("ROSTERING_"+strings.ToUpper(key), values[key]); err != nil {
			return rostering.Config{}, err
		}
	}
	return rostering.ConfigFromEnv()
}

func (c *client) call(ctx context.Context, r protocol.Request) protocol.Response {
	c.clear()
	var err error
	switch t, now, ok := readToken(r.Input); {
	case r.Export == "clear_token" && len(r.Input) == 0:
		err = c.ClearToken(ctx)
	case r.Export == "set_token" && ok:
		c.clock.Store(now)
		err = c.SetToken(ctx, t)
	default:
		i, err := c.plain()
		if err != nil {
			return failed(err)
		}
		return i.call(ctx, r)
	}
	if err != nil {
		return c.logged(failed(err))
	}
	return c.logged(protocol.Response{})
}

// readToken reads the input of set_token, and reports whether a [rostering.Token] can express it.
func readToken(object []byte) (t rostering.Token, now int64, ok bool) {
	var fields struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		ExpiresAt   *int64 `json:"expires_at"`
		CacheKey    string `json:"cache_key"`
		Now         int64  `json:"now"`
	}
	d := json.NewDecoder(bytes.NewReader(object))
	d.DisallowUnknownFields()
	if d.Decode(&fields) != nil || fields.ExpiresAt == nil || strings.ContainsRune(fields.CacheKey, utf8.RuneError) {
		return t, 0, false
	}
	return rostering.Token{
		AccessToken: rostering.Secret(fields.AccessToken), Type: fields.TokenType,
		ExpiresAt: time.Unix(*fields.ExpiresAt, 0), CacheKey: fields.CacheKey,
	}, fields.Now, true
}

func (c *client) drive(ctx context.Context, r protocol.Request) protocol.Response {
	c.clear()
	call, ok := readCall(c.Client, r)
	if !ok {
		return c.refused(ctx, r)
	}
	c.clock.Store(call.now)
	a, err := call.make(ctx)
	if err != nil {
		a = failed(err)
	}
	return c.logged(a)
}

// refused passes an input to the plugin, which must refuse it.
func (c *client) refused(ctx context.Context, r protocol.Request) protocol.Response {
	i, err := c.plain()
	if err != nil {
		return failed(err)
	}
	a := i.call(ctx, protocol.Request{Export: "begin", Input: fmt.Appendf(nil, `{"call":%q,"input":%s}`, r.Export, r.Input)})
	if a.Error == "" {
		return protocol.Response{Trap: fmt.Sprintf("the plugin accepts %s, which the library cannot express", r.Input)}
	}
	return a
}

func (c *client) logged(a protocol.Response) protocol.Response {
	a.Logs = c.all()
	return a
}

// failed returns the response for an error of the library.
func failed(err error) protocol.Response {
	known, ok := errors.AsType[*rostering.Error](err)
	switch {
	case ok:
		object, _ := json.Marshal(known)
		return protocol.Response{Error: string(object)}
	case errors.Is(err, context.Canceled):
		return protocol.Response{Canceled: true}
	}
	return protocol.Response{Trap: err.Error()}
}

func (c *client) close(ctx context.Context) protocol.Response {
	if err := c.Shutdown(ctx); err != nil {
		return failed(err)
	}
	return protocol.Response{}
}

// handler adds lines to logs.
type handler struct{ *logs }

func (h handler) Enabled(context.Context, slog.Level) bool { return true }
func (h handler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h handler) WithGroup(string) slog.Handler            { return h }

func (h handler) Handle(_ context.Context, r slog.Record) error {
	if !strings.HasPrefix(r.Message, "rostering: ") { // which are lines of the library
		h.add(strings.ToLower(r.Level.String()), r.Message)
	}
	return nil
}
