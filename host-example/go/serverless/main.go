// Serverless prints the jobs and ends: each call is a new process. The folder ROSTERING_STORE, or one
// in the user's cache, keeps the token and the compiled plugin for the next process.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"automatic-rostering.example/rostering"
)

func main() {
	log.SetFlags(0)
	ctx, started := context.Background(), time.Now()
	config, err := rostering.ConfigFromEnv()
	if err != nil {
		log.Fatal(err)
	}
	folder := os.Getenv("ROSTERING_STORE")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			log.Fatal(err)
		}
		folder = filepath.Join(cache, "automatic-rostering") // which no other user can write to
	}
	store, err := rostering.NewFileStore(folder)
	if err != nil {
		log.Fatal(err)
	}
	client, err := rostering.New(ctx, config, rostering.WithStore(store), rostering.WithCacheDir(filepath.Join(folder, "compiled")))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ready := time.Since(started)
	jobs, err := client.ListJobs(ctx)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("plugin ready after %d ms, jobs after %d ms", ready.Milliseconds(), time.Since(started).Milliseconds())
	fmt.Printf("%s\n", jobs.Body)
}
