package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

// disturb changes something beside the calls.
func (s *stress) disturb(r *rand.Rand) {
	switch r.IntN(10) {
	case 0, 1:
		s.sandbox.Fault(s.fault(r, "auth", 400, 401, 408, 429, 500, 503, 200, 302))
	case 2, 3, 4:
		s.sandbox.Fault(s.fault(r, "jobs", 401, 403, 408, 429, 500, 503, 304, 307))
	case 5:
		s.sandbox.Revoke()
	case 6:
		s.store.mode.Store(1 + r.Int32N(modes-1))
	case 7:
		s.sandbox.SetLifetime(1 + r.IntN(5))
		return
	default:
		s.sandbox.ClearFaults()
		s.store.mode.Store(works)
		return
	}
	s.faults.Add(1)
}

// fault is a random fault of a server. Its body has the secret, which no error may show.
func (s *stress) fault(r *rand.Rand, server string, statuses ...int) sandbox.Fault {
	f := sandbox.Fault{Server: server, Requests: r.IntN(20)} // 0: all
	switch r.IntN(6) {
	case 0:
		f.Hold = true
	case 1:
		f.CutOff = true
	case 2:
		f.Delay = 1 + r.IntN(200)
	default:
		f.Status = statuses[r.IntN(len(statuses))]
		if f.Status != 304 {
			f.Body = "not now: " + string(s.config.ClientSecret)
		}
		if r.IntN(2) == 0 {
			f.Headers = map[string]string{"Retry-After": "1", "Location": "/elsewhere"}
		}
	}
	return f
}

// The modes of a faultyStore.
const (
	works = int32(iota)
	fails
	sticks
	lies
	modes
)

// faultyStore is a store in memory that can fail.
type faultyStore struct {
	rostering.MemoryStore
	mode atomic.Int32
}

var errStore = errors.New("the store is down")

// Get implements [rostering.Store].
func (f *faultyStore) Get(ctx context.Context, key string) (string, bool, error) {
	value, found, err := f.MemoryStore.Get(ctx, key)
	switch f.mode.Load() {
	case fails:
		return "", false, errStore
	case sticks:
		time.Sleep(1200 * time.Millisecond) // longer than a step may take, though its context has ended
	case lies:
		return value[:len(value)/2], true, nil
	}
	return value, found, err
}

// Add implements [rostering.Store].
func (f *faultyStore) Add(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	switch f.mode.Load() {
	case fails:
		return false, errStore
	case lies:
		return false, nil
	}
	return f.MemoryStore.Add(ctx, key, value, ttl)
}

// Set implements [rostering.Store].
func (f *faultyStore) Set(ctx context.Context, key, value string, ttl time.Duration) error {
	switch f.mode.Load() {
	case fails:
		return errors.New("cannot set " + value)
	case sticks:
		<-ctx.Done()
		return ctx.Err()
	}
	return f.MemoryStore.Set(ctx, key, value, ttl)
}
