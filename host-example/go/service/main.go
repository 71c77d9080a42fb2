// Service serves the jobs at GET /jobs on loopback until SIGTERM. It listens on PORT (0: any free port)
// and prints the number of its port.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	rostering "automatic-rostering.example/rostering/sdk/go"
)

func main() {
	log.SetFlags(0)
	client, err := rostering.New(context.Background(), rostering.ConfigFromEnv())
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Getenv("PORT")))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /jobs", func(w http.ResponseWriter, r *http.Request) {
		jobs, err := client.ListJobs(r.Context()) // canceled when the client disconnects
		if err != nil {
			fail(w, err)
			return
		}
		w.Header().Set("Content-Type", jobs.Header.Get("Content-Type"))
		_, _ = w.Write(jobs.Body)
	})
	server := http.Server{ReadHeaderTimeout: 10 * time.Second}
	go func() { log.Print(server.Serve(listener)) }()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	<-ctx.Done()
	stop() // a second signal ends the process immediately
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	if err := errors.Join(server.Shutdown(ctx), client.Shutdown(ctx)); err != nil {
		log.Print(err)
	}
}

func fail(w http.ResponseWriter, err error) {
	log.Print(err)
	status := http.StatusBadGateway
	if e, ok := errors.AsType[*rostering.Error](err); ok && e.Retryable {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(e.RetryAfter.Seconds()))))
	}
	http.Error(w, http.StatusText(status), status)
}
