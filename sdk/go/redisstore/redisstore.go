// Package redisstore is a rostering.Store in Redis, over go-redis. Only programs that
// import it need go-redis.
//
//	client := redis.NewClient(&redis.Options{Addr: "redis:6379"})
//	rostering.New(ctx, config, rostering.WithStore(redisstore.New(client)))
package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Store keeps values in Redis. Clients in all languages that use the same Redis share one
// token.
type Store struct{ client redis.Cmdable }

// New returns a store in Redis. It does not close the client.
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
