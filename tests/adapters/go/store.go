package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	rostering "automatic-rostering.example/rostering/sdk/go"
	"automatic-rostering.example/rostering/sdk/go/redisstore"
	"automatic-rostering.example/rostering/tests/runner/protocol"
)

// store is a store: another name is another one, even with the same URL.
type store struct{ Name, URL string }

// open returns the store, which it makes first.
func (o store) open() (rostering.Store, error) {
	open, _ := stores.LoadOrStore(o.Name, sync.OnceValues(func() (rostering.Store, error) { return o.make() }))
	return open.(func() (rostering.Store, error))()
}

func (o store) make() (rostering.Store, error) {
	switch kind, place, _ := strings.Cut(o.URL, ":"); kind {
	case "memory":
		return new(rostering.MemoryStore), nil
	case "file":
		return rostering.NewFileStore(place)
	case "http":
		return httpStore(o.URL), nil
	}
	options, err := redis.ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	options.ContextTimeoutEnabled = true
	return redisstore.New(redis.NewClient(options)), nil
}

func useStore(ctx context.Context, r request) (a protocol.Response, err error) {
	s, err := r.Store.open()
	if err != nil {
		return a, err
	}
	var result any
	ttl := time.Duration(r.TTL) * time.Second
	switch r.Do {
	case "get":
		var found bool
		if result, found, err = s.Get(ctx, r.Key); !found {
			result = nil
		}
	case "add":
		result, err = s.Add(ctx, r.Key, r.Value, ttl)
	case "set":
		err = s.Set(ctx, r.Key, r.Value, ttl)
	}
	return protocol.Response{JSON: result}, err
}

// httpStore is a store at a URL.
type httpStore string

func (s httpStore) Get(ctx context.Context, key string) (value string, found bool, err error) {
	var got *string
	if err = s.post(ctx, &got, "get", key, "", 0); got != nil {
		value = *got
	}
	return value, got != nil, err
}

func (s httpStore) Add(ctx context.Context, key, value string, ttl time.Duration) (added bool, err error) {
	err = s.post(ctx, &added, "add", key, value, ttl)
	return added, err
}

func (s httpStore) Set(ctx context.Context, key, value string, ttl time.Duration) error {
	return s.post(ctx, new(bool), "set", key, value, ttl)
}

func (s httpStore) post(ctx context.Context, result any, op, key, value string, ttl time.Duration) error {
	object, _ := json.Marshal(map[string]any{"op": op, "key": key, "value": value, "ttl": ttl.Seconds()})
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, string(s), bytes.NewReader(object))
	if err != nil {
		return err
	}
	got, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	defer func() { _ = got.Body.Close() }()
	return json.NewDecoder(got.Body).Decode(result)
}
