package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering/tests/conformance/protocol"
)

// client is a client of the library.
type client struct {
	*rostering.Client
	logs
}

func (h *host) createClient(ctx context.Context, r protocol.Request) (instance, error) {
	c := new(client)
	options := []rostering.Option{
		rostering.WithPluginFile(r.Wasm), rostering.WithCacheDir(h.dir), rostering.WithLogger(slog.New(handler{&c.logs})),
	}
	if r.Store != "" {
		options = append(options, rostering.WithStore(store(r.Store)))
	}
	var err error
	c.Client, err = rostering.New(ctx, rostering.Config{Keys: r.Config}, options...)
	return c, err
}

func (c *client) call(ctx context.Context, r protocol.Request) protocol.Answer {
	c.clear()
	output, err := c.Export(ctx, r.Export, r.Input)
	if err != nil {
		return c.logged(failed(err))
	}
	return c.logged(protocol.Answer{Output: output})
}

func (c *client) drive(ctx context.Context, r protocol.Request) protocol.Answer {
	c.clear()
	call := rostering.Call{Name: r.Export, Input: r.Input, Timeout: time.Duration(r.TimeoutMS) * time.Millisecond}
	if r.Body != nil {
		call.Body = rostering.Bytes(r.Body)
	}
	var input struct{ Now float64 }
	if json.Unmarshal(r.Input, &input) == nil && input.Now != 0 {
		call.Now = time.Unix(int64(input.Now), 0)
	}
	response, err := c.Do(ctx, call)
	if err != nil {
		return c.logged(failed(err))
	}
	return c.logged(protocol.Answer{Status: response.Status, Output: response.Body})
}

func (c *client) logged(a protocol.Answer) protocol.Answer {
	a.Logs = c.all()
	return a
}

// failed is the answer for an error of the library.
func failed(err error) protocol.Answer {
	known, ok := errors.AsType[*rostering.Error](err)
	switch {
	case ok:
		object, _ := json.Marshal(known)
		return protocol.Answer{Error: string(object)}
	case errors.Is(err, context.Canceled):
		return protocol.Answer{Canceled: true}
	}
	return protocol.Answer{Trap: err.Error()}
}

func (c *client) close(ctx context.Context) protocol.Answer {
	if err := c.Close(ctx); err != nil {
		return failed(err)
	}
	return protocol.Answer{}
}

// handler adds lines to logs.
type handler struct{ *logs }

func (h handler) Enabled(context.Context, slog.Level) bool { return true }
func (h handler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h handler) WithGroup(string) slog.Handler            { return h }

func (h handler) Handle(_ context.Context, r slog.Record) error {
	h.add(strings.ToLower(r.Level.String()), r.Message)
	return nil
}

// store is the URL of the shared store.
type store string

func (s store) Get(ctx context.Context, key string) (string, bool, error) {
	a, err := s.post(ctx, map[string]any{"op": "get", "key": key})
	if err != nil || a.Value == nil {
		return "", false, err
	}
	return *a.Value, true, nil
}

func (s store) Add(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	a, err := s.post(ctx, map[string]any{"op": "add", "key": key, "value": value, "ttl": ttl.Seconds()})
	return a.Added, err
}

func (s store) Set(ctx context.Context, key, value string, ttl time.Duration) error {
	_, err := s.post(ctx, map[string]any{"op": "set", "key": key, "value": value, "ttl": ttl.Seconds()})
	return err
}

type storeAnswer struct {
	Value *string
	Added bool
}

func (s store) post(ctx context.Context, operation map[string]any) (a storeAnswer, err error) {
	object, err := json.Marshal(operation)
	if err != nil {
		return a, err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, string(s), bytes.NewReader(object))
	if err != nil {
		return a, err
	}
	response, err := http.DefaultClient.Do(q)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return a, fmt.Errorf("status %d", response.StatusCode)
	}
	return a, json.NewDecoder(response.Body).Decode(&a)
}
