package main

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"automatic-rostering.example/rostering"
)

// slot has one client after the other.
type slot struct {
	store  rostering.Store
	client atomic.Pointer[client]
}

type client struct {
	*rostering.Client
	http   *http.Client // with its Transport
	closed atomic.Bool  // or about to be
}

func (s *stress) open(slot *slot) {
	logger := slog.New(slog.NewTextHandler(logged{s}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c, err := rostering.New(context.Background(), s.config,
		rostering.WithTimeout(callTimeout), rostering.WithLogger(logger), rostering.WithStore(slot.store))
	if err != nil {
		fail("%v", err)
	}
	transport, err := rostering.NewTransport(c, nil)
	if err != nil {
		fail("%v", err)
	}
	s.opened.Add(1)
	slot.client.Store(&client{Client: c, http: &http.Client{Transport: transport, Timeout: callTimeout}})
}

// reopen closes a client in the midst of its calls, and opens another.
func (s *stress) reopen(slot *slot, c *client, r *rand.Rand) {
	if c.closed.Swap(true) {
		return // another worker does it
	}
	s.open(slot)
	defer watch("closing").Stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(50))*time.Millisecond)
	defer cancel()
	if r.IntN(2) == 0 {
		if err := c.Close(); err != nil {
			fail("close: %v", err)
		}
	} else if err := c.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		fail("shutdown: %v", err)
	}
	if _, err := c.ListJobs(context.Background()); !errors.Is(err, rostering.ErrClosed) {
		fail("a closed client: %v", err)
	}
}

func (s *stress) openAll() {
	for _, slot := range s.slots {
		s.open(slot)
	}
}

func (s *stress) closeAll() {
	defer watch("closing").Stop()
	for _, slot := range s.slots {
		if err := slot.client.Swap(nil).Shutdown(context.Background()); err != nil {
			fail("shutdown: %v", err)
		}
	}
}

// logged holds no secret.
type logged struct{ *stress }

func (l logged) Write(line []byte) (int, error) {
	l.hidden(string(line))
	return len(line), nil
}
