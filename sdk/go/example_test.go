package rostering_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"

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
	defer client.Close()
	jobs, err := client.ListJobs(ctx) // from any goroutine
	if err != nil {
		log.Fatal(err) // says how to fix it
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
	defer client.Close()

	response, err := client.ForCustomer("another").SendRequest(ctx, rostering.Request{
		Path: "/jobs", Method: "POST",
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   strings.NewReader(`{"title":"Nacht"}`),
	})
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
		if err := client.Close(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(len(s.Requests("auth")), "token request")

	// Output: 1 token request
}
