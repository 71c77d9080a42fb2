// Lambda is a function on AWS Lambda that returns the jobs. The plugin is inside, so that
// the function is one file, bootstrap:
//
//	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build -tags lambda.norpc -o bootstrap ./lambda
//
// Instances of a function share no memory. With ROSTERING_REDIS, the URL of a Redis, they
// share the token; ROSTERING_STORE, a directory, keeps it for the processes of one instance
// (/tmp/rostering) or of all (on a file system that they mount). README.md has the other
// variables.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/examples/environment"
)

func main() {
	client, err := open(context.Background(), os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(func(ctx context.Context) (json.RawMessage, error) {
		jobs, err := client.ListJobs(ctx) // ctx ends shortly before Lambda ends the function
		if err != nil {
			return nil, err
		}
		return jobs.Body, nil
	})
}

// open creates the client, once for all invocations of an instance.
func open(ctx context.Context, getenv func(string) string) (*rostering.Client, error) {
	config, err := environment.Config(getenv)
	if err != nil {
		return nil, err
	}
	options, err := environment.Options(getenv)
	if err != nil {
		return nil, err
	}
	return rostering.New(ctx, config, options...)
}
