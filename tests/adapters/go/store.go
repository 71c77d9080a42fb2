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

// open returns the store of that name, which it makes first.
func (o *storeOptions) open() (s rostering.Store, err error) {
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

func useStore(ctx context.Context, r request) (response, error) {
	s, err := r.Store.open()
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
	a, err := s.post(ctx, "get", key, "", 0)
	if a.Value == nil {
		return "", false, err
	}
	return *a.Value, true, err
}

func (s httpStore) Add(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	a, err := s.post(ctx, "add", key, value, ttl)
	return a.Added, err
}

func (s httpStore) Set(ctx context.Context, key, value string, ttl time.Duration) error {
	_, err := s.post(ctx, "set", key, value, ttl)
	return err
}

type stored struct {
	Value *string
	Added bool
}

func (s httpStore) post(ctx context.Context, op, key, value string, ttl time.Duration) (a stored, err error) {
	object, _ := json.Marshal(map[string]any{"op": op, "key": key, "value": value, "ttl": ttl.Seconds()})
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
