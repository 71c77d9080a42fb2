package redisstore_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
	"automatic-rostering.example/rostering/redisstore"
)

const patience = 20 * time.Second

// start starts a Redis server and returns a client for it.
func start(t *testing.T) *redis.Client {
	t.Helper()
	options := redis.Options{Network: "unix", Addr: sandbox.Redis(t), ContextTimeoutEnabled: true}
	client := redis.NewClient(&options)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestStore(t *testing.T) {
	client := start(t)
	var store rostering.Store = redisstore.New(client)
	get := func(want string) {
		t.Helper()
		if got, found, err := store.Get(t.Context(), "a"); err != nil || got != want || found != (want != "") {
			t.Errorf("the value is %q, %v, %v; want %q", got, found, err, want)
		}
	}
	add := func(want bool) {
		t.Helper()
		if added, err := store.Add(t.Context(), "a", "added", 10*time.Second); err != nil || added != want {
			t.Errorf("added: %v, %v; want %v", added, err, want)
		}
	}
	expires := func(most time.Duration) {
		t.Helper()
		if left := client.TTL(t.Context(), "a").Val(); left <= 0 || left > most {
			t.Errorf("it expires in %v, not within %v", left, most)
		}
	}
	get("")
	add(true)
	add(false)
	get("added")
	expires(10 * time.Second)
	if err := store.Set(t.Context(), "a", "set", time.Hour); err != nil {
		t.Error(err)
	}
	get("set")
	expires(time.Hour)
	client.Del(t.Context(), "a")
	add(true)
}

// The server accepts connections and never responds.
func TestRedisThatHangs(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
	}()
	client := redis.NewClient(&redis.Options{Addr: listener.Addr().String(), ContextTimeoutEnabled: true})
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := redisstore.New(client).Add(ctx, "a", "1", time.Second)
		ended <- err
	}()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it was added")
		}
	case <-time.After(patience):
		t.Error("it still waits")
	}
}
