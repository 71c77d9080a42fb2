// Lambda is a function on AWS Lambda that returns the jobs. It is deployed as one file, bootstrap,
// which has the plugin embedded:
//
//	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build -tags lambda.norpc -o bootstrap ./lambda
//
// The instances of the function share the token through ROSTERING_STORE, a folder on a file system
// that all of them mount.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"automatic-rostering.example/rostering"
)

func main() {
	config, err := rostering.ConfigFromEnv()
	if err != nil {
		log.Fatal(err)
	}
	store, err := rostering.NewFileStore(os.Getenv("ROSTERING_STORE"))
	if err != nil {
		log.Fatal(err)
	}
	client, err := rostering.New(context.Background(), config, rostering.WithStore(store)) // once in each instance
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
