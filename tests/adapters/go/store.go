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
)

type storeOptions struct{ Name, Kind, URL, Folder string }

// store returns the store of that name, which is made first.
func (a *adapter) store(o *storeOptions) (s rostering.Store, err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if s := a.stores[o.Name]; s != nil {
		return s, nil
	}
	switch o.Kind {
	case "memory":
		s = &rostering.MemoryStore{}
	case "folder":
		if s, err = rostering.NewFileStore(o.Folder); err != nil {
			return nil, err
		}
	case "redis":
		options, err := redis.ParseURL(o.URL)
		if err != nil {
			return nil, err
		}
		options.ContextTimeoutEnabled = true
		s = redisstore.New(redis.NewClient(options))
	case "http":
		s = httpStore(o.URL)
	default:
		return nil, fmt.Errorf("no store %s", o.Kind)
	}
	a.stores[o.Name] = s
	return s, nil
}

func (a *adapter) useStore(ctx context.Context, r request) (response, error) {
	s, err := a.store(r.Store)
	if err != nil {
		return nil, err
	}
	switch r.Do {
	case "get":
		value, found, err := s.Get(ctx, r.Key)
		if err != nil || !found {
			return response{}, err
		}
		return response{"value": value}, nil
	case "add":
		added, err := s.Add(ctx, r.Key, r.Value, seconds(r.TTL))
		return response{"added": added}, err
	}
	return response{}, s.Set(ctx, r.Key, r.Value, seconds(r.TTL))
}

// httpStore is a store at a URL.
type httpStore string

func (s httpStore) Get(ctx context.Context, key string) (string, bool, error) {
	a, err := s.post(ctx, map[string]any{"op": "get", "key": key})
	if err != nil || a.Value == nil {
		return "", false, err
	}
	return *a.Value, true, nil
}

func (s httpStore) Add(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	a, err := s.post(ctx, map[string]any{"op": "add", "key": key, "value": value, "ttl": ttl.Seconds()})
	return a.Added, err
}

func (s httpStore) Set(ctx context.Context, key, value string, ttl time.Duration) error {
	_, err := s.post(ctx, map[string]any{"op": "set", "key": key, "value": value, "ttl": ttl.Seconds()})
	return err
}

type storeAnswer struct {
	Value *string
	Added bool
}

func (s httpStore) post(ctx context.Context, operation map[string]any) (a storeAnswer, err error) {
	object, err := json.Marshal(operation)
	if err != nil {
		return a, err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, string(s), bytes.NewReader(object))
	if err != nil {
		return a, err
	}
	got, err := http.DefaultClient.Do(q)
	if err != nil {
		return a, err
	}
	defer func() { _ = got.Body.Close() }()
	if got.StatusCode != http.StatusOK {
		return a, fmt.Errorf("the store responded %d", got.StatusCode)
	}
	return a, json.NewDecoder(got.Body).Decode(&a)
}
