// Package redisstore provides a rostering.Store in Redis, through go-redis. It is its own module,
// so that only programs that import it depend on go-redis. Set ContextTimeoutEnabled: otherwise
// a server that hangs holds a connection for longer than the second that a call waits for it.
//
//	client := redis.NewClient(&redis.Options{Addr: "redis:6379", ContextTimeoutEnabled: true})
//	rostering.New(ctx, config, rostering.WithStore(redisstore.New(client)))
package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Store is a rostering.Store in Redis. Clients in all languages that use the same Redis database
// share one token.
type Store struct{ client redis.Cmdable }

// New returns a store that uses the client, and does not close it.
func New(client redis.Cmdable) Store { return Store{client} }

// Get implements rostering.Store.
func (s Store) Get(ctx context.Context, key string) (string, bool, error) {
	value, err := s.client.Get(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return "", false, nil
	}
	return value, err == nil, err
}

// Add implements rostering.Store.
func (s Store) Add(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	return s.client.SetNX(ctx, key, value, ttl).Result()
}

// Set implements rostering.Store.
func (s Store) Set(ctx context.Context, key, value string, ttl time.Duration) error {
	return s.client.Set(ctx, key, value, ttl).Err()
}
