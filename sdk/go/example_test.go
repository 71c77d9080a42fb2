package rostering_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

func ExampleNew() {
	ctx := context.Background()
	s := sandbox.Start()
	defer s.Close()
	s.Fault(sandbox.Fault{Server: "jobs", Status: 200, Body: `[{"id":1}]`})
	config := s.Config()

	client, err := rostering.New(ctx, config)
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

	// Output: [{"id":1}]
}

func ExampleClient_SendRequest() {
	ctx := context.Background()
	s := sandbox.Start()
	defer s.Close()
	s.Fault(sandbox.Fault{Server: "jobs", Status: 201, Body: `{"id":1}`})
	client, err := rostering.New(ctx, s.Config())
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
	var created struct{ ID int }
	if err := response.JSON(&created); err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Status, created.ID)

	// Output: 201 1
}

// Clients in one process share a token through memory, those of several processes through
// a directory or Redis.
func ExampleWithStore() {
	ctx := context.Background()
	s := sandbox.Start()
	defer s.Close()
	store := new(rostering.MemoryStore)
	for range 2 {
		client, err := rostering.New(ctx, s.Config(), rostering.WithStore(store))
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
	fmt.Println(len(s.Requests("auth")), "token request")

	// Output: 1 token request
}
