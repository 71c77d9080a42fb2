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
	config, err := rostering.ConfigFromEnv()
	check(err)
	client, err := rostering.New(ctx, config)
	check(err)
	token, err := client.GetToken(ctx)
	check(err)
	library := func() {
		_, err := client.ListJobs(ctx)
		check(err)
	}
	bare := func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, config.BaseURL+"/jobs", nil)
		check(err)
		r.Header = http.Header{"Authorization": {"Bearer " + string(token.AccessToken)},
			"Customer_id": {config.CustomerID}, "User_id": {config.UserID}}
		response, err := http.DefaultClient.Do(r)
		check(err)
		if _, err = io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
			log.Fatalf("net/http: status %d, %v", response.StatusCode, err)
		}
		check(response.Body.Close())
	}
	measure(library) // warms up
	measure(bare)
	var cpu, elapsed []float64
	for n := range pairs {
		var l, b cost
		if n%2 == 0 {
			l, b = measure(library), measure(bare)
		} else {
			b, l = measure(bare), measure(library)
		}
		cpu, elapsed = append(cpu, l.cpu/b.cpu), append(elapsed, l.elapsed/b.elapsed)
	}
	slices.Sort(cpu)
	slices.Sort(elapsed)
	fmt.Printf("Go: list_jobs next to net/http: CPU %.2f, time %.2f\n", cpu[pairs/2], elapsed[pairs/2])
}

type cost struct{ cpu, elapsed float64 }

// measure returns the cost of a batch of calls.
func measure(call func()) cost {
	var before, after syscall.Rusage
	start := time.Now()
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &before))
	for range batch {
		call()
	}
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &after))
	cpu := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	return cost{float64(cpu), float64(time.Since(start))}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
