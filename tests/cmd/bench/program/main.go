// Command program makes calls, and reports their cost: through the Go library, or by
// golang.org/x/oauth2 with the same token. Each language has such a program, which its bench.sh
// starts. Command bench controls it by a JSON object per line on standard input, the
// result as a line on standard output.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/oauth2"

	"automatic-rostering.example/rostering"
)

// block is a number of calls, at so many at once.
type block struct {
	Who     string `json:"who"` // library or bare
	Calls   int64  `json:"calls"`
	AtOnce  int    `json:"at_once"`
	PauseMS int    `json:"pause_ms"` // after each call
}

// result is what the calls of a block cost, in microseconds.
type result struct {
	CPU  int64   `json:"cpu_us"`
	Wall []int64 `json:"wall_us"` // of each call
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := rostering.ConfigFromEnv()
	if err != nil {
		return err
	}
	client, err := rostering.New(ctx, config)
	if err != nil {
		return err
	}
	defer client.Close()
	token, err := client.GetToken(ctx)
	if err != nil {
		return err
	}
	callers := map[string]func() error{
		"library": func() error { _, err := client.ListJobs(ctx); return err },
		"bare":    bare(ctx, config, token),
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var b block
		if err := in.Decode(&b); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		r, err := b.run(callers[b.Who])
		if err != nil {
			return err
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
}

// bare lists the jobs as a program without the library does.
func bare(ctx context.Context, config rostering.Config, token rostering.Token) func() error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 256
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: transport})
	client := oauth2.NewClient(ctx, oauth2.StaticTokenSource(&oauth2.Token{AccessToken: string(token.AccessToken)}))
	return func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.BaseURL+"/jobs", nil)
		if err != nil {
			return err
		}
		request.Header.Set("CUSTOMER_ID", config.CustomerID)
		request.Header.Set("USER_ID", config.UserID)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if _, err := io.ReadAll(response.Body); err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("the service responded with %s", response.Status)
		}
		return nil
	}
}

func (b *block) run(call func() error) (*result, error) {
	r := &result{Wall: make([]int64, b.Calls)}
	var next atomic.Int64
	var workers sync.WaitGroup
	var failed atomic.Value
	before := cpu()
	for range b.AtOnce {
		workers.Go(func() {
			for n := next.Add(1) - 1; n < b.Calls; n = next.Add(1) - 1 {
				began := time.Now()
				if err := call(); err != nil {
					failed.Store(err)
					return
				}
				r.Wall[n] = time.Since(began).Microseconds()
				time.Sleep(time.Duration(b.PauseMS) * time.Millisecond)
			}
		})
	}
	workers.Wait()
	r.CPU = cpu() - before
	err, _ := failed.Load().(error)
	return r, err
}

// cpu is the time that this process has computed.
func cpu() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return (u.Utime.Nano() + u.Stime.Nano()) / 1000
}
