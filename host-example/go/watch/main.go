// Serves the status of a client as Prometheus metrics, on PORT.
package main

import (
	"cmp"
	"context"
	"log"
	"net/http"
	"os"

	rostering "automatic-rostering.example/rostering/sdk/go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// snippet

type statusCollector struct{ client *rostering.Client } // prometheus.MustRegister(statusCollector{client})

func (statusCollector) Describe(chan<- *prometheus.Desc) {} // the codes of failed calls are not known in advance

func (c statusCollector) Collect(metrics chan<- prometheus.Metric) {
	s := c.client.Status()
	counter := func(name string, value int64, labels prometheus.Labels) {
		desc := prometheus.NewDesc("rostering_"+name+"_total", "See docs/operations.md.", nil, labels)
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(value))
	}
	counter("calls", s.Calls, nil)
	counter("token_requests", s.TokenRequests, nil)
	counter("failed_token_requests", s.FailedTokenRequests, nil)
	counter("store_failures", s.StoreFailures, nil)
	for code, count := range s.FailedCalls {
		counter("failed_calls", count, prometheus.Labels{"code": string(code)})
	}
}

// end of snippet

func main() {
	client, err := rostering.New(context.Background(), rostering.ConfigFromEnv())
	if err != nil {
		log.Fatal(err)
	}
	prometheus.MustRegister(statusCollector{client})
	http.Handle("GET /metrics", promhttp.Handler())
	log.Fatal(http.ListenAndServe(":"+cmp.Or(os.Getenv("PORT"), "8080"), nil))
}
