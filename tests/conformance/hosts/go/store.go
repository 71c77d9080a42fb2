package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// store is a store at a URL.
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
