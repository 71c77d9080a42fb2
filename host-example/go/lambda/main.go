// Lambda is a function on AWS Lambda that returns the jobs. It is deployed as one file, bootstrap,
// which has the plugin embedded:
//
//	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build -tags lambda.norpc -o bootstrap ./lambda
//
// Each execution environment requests one token. rostering.WithStore(redisstore.New(…)) lets all of them share one.
package main

import (
	"context"
	"encoding/json"
	"log"

	"github.com/aws/aws-lambda-go/lambda"

	rostering "automatic-rostering.example/rostering/sdk/go"
)

func main() {
	client, err := rostering.New(context.Background(), rostering.ConfigFromEnv()) // once in each execution environment
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
