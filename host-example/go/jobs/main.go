// Package lists the jobs. The library's README.md shows it, and test-package.sh runs it
// with the package instead of the folder.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"automatic-rostering.example/rostering"
)

func main() {
	ctx := context.Background()
	// snippet
	client, err := rostering.New(ctx, rostering.Config{
		Environment: rostering.Stage, // or rostering.Production
		AuthURL:     os.Getenv("ROSTERING_AUTH_URL"), BaseURL: os.Getenv("ROSTERING_BASE_URL"),
		ClientID: os.Getenv("ROSTERING_CLIENT_ID"), ClientSecret: rostering.Secret(os.Getenv("ROSTERING_CLIENT_SECRET")),
		CustomerID: os.Getenv("ROSTERING_CUSTOMER_ID"), UserID: os.Getenv("ROSTERING_USER_ID"),
	}) // once in each process
	if err != nil {
		log.Fatal(err)
	}
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
}
