package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/redisstore"
	"automatic-rostering/tests/runner/protocol"
)

// openStore returns the store of that name, which it makes first.
func openStore(o *protocol.Store) (s rostering.Store, err error) {
	if known, ok := stores.Load(o.Name); ok {
		return known.(rostering.Store), nil
	}
	switch o.Kind {
	case "memory":
		s = new(rostering.MemoryStore)
	case "folder":
		s, err = rostering.NewFileStore(o.Folder)
	case "redis":
		var options *redis.Options
		if options, err = redis.ParseURL(o.URL); err == nil {
			options.ContextTimeoutEnabled = true
			s = redisstore.New(redis.NewClient(options))
		}
	case "http":
		s = httpStore(o.URL)
	default:
		err = fmt.Errorf("no store %s", o.Kind)
	}
	if err != nil {
		return nil, err
	}
	known, _ := stores.LoadOrStore(o.Name, s)
	return known.(rostering.Store), nil
}

func useStore(ctx context.Context, r protocol.Request) (a protocol.Response, err error) {
	s, err := openStore(r.Store)
	if err != nil {
		return a, err
	}
	ttl := time.Duration(r.TTL * float64(time.Second))
	switch r.Do {
	case "get":
		if value, found, err := s.Get(ctx, r.Key); err != nil || !found {
			return a, err
		} else {
			a.Value = &value
		}
	case "add":
		added, err := s.Add(ctx, r.Key, r.Value, ttl)
		return protocol.Response{Added: &added}, err
	default:
		err = s.Set(ctx, r.Key, r.Value, ttl)
	}
	return a, err
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
	if got.StatusCode != http.StatusOK {
		return fmt.Errorf("the store responded %d", got.StatusCode)
	}
	return json.NewDecoder(got.Body).Decode(result)
}
