package rostering_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"automatic-rostering/host-example/go/rostering"
)

// exampleConfig is the config for a service that counts its token requests, until end.
func exampleConfig() (config rostering.Config, tokenRequests *atomic.Int64, end func()) {
	tokenRequests = new(atomic.Int64)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /connect/token", func(w http.ResponseWriter, r *http.Request) {
		tokenRequests.Add(1)
		reply(http.StatusOK, `{"access_token":"an-access-token","expires_in":3600,"token_type":"Bearer"}`)(w, r)
	})
	mux.HandleFunc("/jobs", reply(http.StatusOK, jobs))
	server := httptest.NewServer(mux)
	return rostering.Config{
		Environment: rostering.Stage,
		AuthURL:     server.URL, BaseURL: server.URL,
		ClientID: "client", ClientSecret: "the-secret",
		CustomerID: "customer", UserID: "user",
	}, tokenRequests, server.Close
}

func ExampleNew() {
	ctx := context.Background()
	config, _, end := exampleConfig()
	defer end()

	// snippet
	client, err := rostering.New(ctx, config, rostering.WithPluginFile("../../../dist/rostering-nowasi.wasm"))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close(ctx) }()

	jobs, err := client.ListJobs(ctx) // from any goroutine
	if e, ok := errors.AsType[*rostering.Error](err); ok && e.Retryable {
		time.Sleep(max(e.RetryAfter, time.Second))
		jobs, err = client.ListJobs(ctx)
	}
	if err != nil {
		log.Fatal(err) // says what to do
	}
	fmt.Printf("%s\n", jobs.Body)
	// end of snippet

	// Output: [{"id":1}]
}

func ExampleClient_SendRequest() {
	ctx := context.Background()
	config, _, end := exampleConfig()
	defer end()
	client, err := rostering.New(ctx, config, rostering.WithPluginFile(wasm))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close(ctx) }()

	response, err := client.SendRequest(ctx, rostering.Request{
		Path: "/jobs", Method: "POST",
		Header: map[string]string{"Content-Type": "application/json"},
		Body:   rostering.Text(`{"customer":"another"}`),
	}, rostering.Customer("another"))
	if err != nil {
		log.Fatal(err)
	}
	var created []struct{ ID int }
	if err := response.JSON(&created); err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Status, created[0].ID)

	// Output: 200 1
}

// Clients in one process share a token through memory, those of several processes through
// a directory or Redis.
func ExampleWithStore() {
	ctx := context.Background()
	config, tokenRequests, end := exampleConfig()
	defer end()
	store := new(rostering.MemoryStore)
	for range 2 {
		client, err := rostering.New(ctx, config, rostering.WithPluginFile(wasm), rostering.WithStore(store))
		if err != nil {
			log.Fatal(err)
		}
		if _, err := client.ListJobs(ctx); err != nil {
			log.Fatal(err)
		}
		if err := client.Close(ctx); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(tokenRequests.Load(), "token request")

	// Output: 1 token request
}
