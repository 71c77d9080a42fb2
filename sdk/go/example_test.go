package rostering_test

import (
	"context"
	"fmt"
	"time"

	rostering "automatic-rostering.example/rostering/sdk/go"
)

func ExampleRetry() {
	server, config := serve(responds(200, `{"jobs":[]}`))
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := rostering.New(ctx, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	// snippet
	jobs, err := rostering.Retry(ctx, func(ctx context.Context) (*rostering.Response, error) {
		return client.ListJobs(ctx, rostering.WithCallTimeout(10*time.Second))
	})
	// end of snippet
	fmt.Println(jobs.Status, err)
	// Output: 200 <nil>
}
