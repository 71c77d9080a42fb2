// Jobs prints the jobs.
//
// snippet
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	rostering "automatic-rostering.example/rostering/sdk/go"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	client, err := rostering.New(ctx, rostering.ConfigFromEnv()) // once in each process
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	jobs, err := client.ListJobs(ctx) // from any goroutine
	if e, ok := errors.AsType[*rostering.Error](err); ok && e.Body != "" {
		log.Printf("the response begins with: %.1000s", e.Body)
	}
	if err != nil {
		log.Fatal(err) // explains how to fix it
	}
	fmt.Printf("%s\n", jobs.Body)
}

// end of snippet
