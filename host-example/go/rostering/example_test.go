package rostering_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"

	"automatic-rostering/host-example/go/rostering"
)

// exampleConfig is the config for a service that counts its token requests, until end.
func exampleConfig() (config rostering.Config, tokenRequests *atomic.Int64, end func()) {
	tokenRequests = new(atomic.Int64)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /connect/token", func(w http.ResponseWriter, r *http.Request) {
		answer(http.StatusOK, fmt.Sprintf(tokenAnswer, tokenRequests.Add(1)))(w, r)
	})
	mux.HandleFunc("GET /jobs", answer(http.StatusOK, jobs))
	server := httptest.NewServer(mux)
	return rostering.Config{
		Environment: rostering.Stage,
		AuthURL:     server.URL, BaseURL: server.URL,
		ClientID: "client", ClientSecret: "s3cr3t",
		CustomerID: "customer", UserID: "user",
	}, tokenRequests, server.Close
}

func ExampleOpenFile() {
	ctx := context.Background()
	config, _, end := exampleConfig()
	defer end()

	// snippet
	client, err := rostering.OpenFile(ctx, "../../../dist/rostering.wasm", config)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close(ctx) }()

	body, err := client.Jobs(ctx)
	if e, ok := errors.AsType[*rostering.Error](err); ok && e.Retryable {
		time.Sleep(max(e.RetryAfter, time.Second))
		body, err = client.Jobs(ctx)
	}
	if err != nil {
		log.Fatal(err) // its text says what to do
	}
	fmt.Printf("%s\n", body)
	// end of snippet

	// Output: [{"id":1}]
}

// Hundreds of goroutines list jobs at the same time, over four instances of the
// plugin, with one token.
func ExampleOpenPool() {
	ctx := context.Background()
	config, tokenRequests, end := exampleConfig()
	defer end()

	pool, err := rostering.OpenPoolFile(ctx, "../../../dist/rostering.wasm", 4, config)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = pool.Close(ctx) }()

	var wg sync.WaitGroup
	var answers atomic.Int64
	for range 300 {
		wg.Go(func() {
			if _, err := pool.Jobs(ctx); err != nil {
				log.Print(err)
				return
			}
			answers.Add(1)
		})
	}
	wg.Wait()
	fmt.Println(answers.Load(), "answers,", tokenRequests.Load(), "token request")

	// Output: 300 answers, 1 token request
}

// A token outlives its client: kept where secrets may be kept, it serves the next
// process, or another language's client.
func ExampleToken_Object() {
	ctx := context.Background()
	config, tokenRequests, end := exampleConfig()
	defer end()

	store := map[string][]byte{} // Redis, say
	list := func() error {
		client, err := rostering.OpenDriverFile(ctx, "../../../dist/rostering.wasm", config)
		if err != nil {
			return err
		}
		defer func() { _ = client.Close(ctx) }()
		if kept, err := rostering.ParseToken(store["token"]); err == nil {
			// A token that has expired is refused, and a new one asked for below.
			_ = client.SetToken(ctx, kept)
		}
		if _, err := client.Jobs(ctx); err != nil {
			return err
		}
		token, err := client.Token(ctx)
		store["token"] = token.Object()
		return err
	}
	if err := errors.Join(list(), list()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(tokenRequests.Load(), "token request")

	// Output: 1 token request
}
