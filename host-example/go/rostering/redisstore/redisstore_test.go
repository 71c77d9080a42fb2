package redisstore_test

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/redisstore"
)

const patience = 20 * time.Second

// start starts a Redis that listens on a socket in a file, which no other process can take.
func start(t *testing.T) *redis.Client {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("left out: redis-server is missing: apt-get install redis-server")
	}
	socket := filepath.Join(t.TempDir(), "redis")
	server := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--save", "")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: socket, ContextTimeoutEnabled: true})
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	for deadline := time.Now().Add(patience); client.Ping(t.Context()).Err() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("redis-server did not start")
		}
	}
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

// A Redis that accepts connections and never answers.
func TestARedisThatHangs(t *testing.T) {
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
