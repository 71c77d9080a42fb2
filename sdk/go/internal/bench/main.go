//go:build unix

// Bench prints what a warm list_jobs costs next to the same request with net/http alone. It is
// started by the sandbox, as tasks.sh does.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"slices"
	"syscall"
	"time"

	"automatic-rostering.example/rostering"
)

const pairs, batch = 31, 200

func main() {
	ctx := context.Background()
	config := rostering.ConfigFromEnv()
	client := must(rostering.New(ctx, config))
	token := must(client.GetToken(ctx))
	library := func() { must(client.ListJobs(ctx)) }
	bare := func() {
		r := must(http.NewRequestWithContext(ctx, http.MethodGet, config.BaseURL+"/jobs", nil))
		r.Header = http.Header{"Authorization": {"Bearer " + string(token.AccessToken)},
			"Customer_id": {config.CustomerID}, "User_id": {config.UserID}}
		response := must(http.DefaultClient.Do(r))
		if must(io.ReadAll(response.Body)); response.StatusCode != http.StatusOK {
			log.Fatal(response.Status)
		}
		_ = response.Body.Close()
	}
	var cpu, elapsed []float64
	for range pairs {
		libraryCPU, libraryTime := measure(library)
		bareCPU, bareTime := measure(bare)
		cpu, elapsed = append(cpu, libraryCPU/bareCPU), append(elapsed, libraryTime/bareTime)
	}
	slices.Sort(cpu)
	slices.Sort(elapsed)
	fmt.Printf("Go: list_jobs next to net/http: CPU %.2f, time %.2f\n", cpu[pairs/2], elapsed[pairs/2])
}

// measure returns what a batch of calls costs, in nanoseconds.
func measure(call func()) (cpu, elapsed float64) {
	var before, after syscall.Rusage
	start := time.Now()
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	for range batch {
		call()
	}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	nanos := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	return float64(nanos), float64(time.Since(start))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
