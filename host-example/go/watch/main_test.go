package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	rostering "automatic-rostering.example/rostering/sdk/go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A thousand calls, of which the last fails, need one token request.
func TestMetrics(t *testing.T) {
	var jobs int
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/connect/token" {
			_, _ = io.WriteString(w, `{"access_token":"a-token","token_type":"Bearer","expires_in":3600}`)
		} else if jobs++; jobs == 1000 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer service.Close()
	client, err := rostering.New(t.Context(), rostering.Config{Environment: rostering.Stage, AuthURL: service.URL,
		BaseURL: service.URL, ClientID: "client", ClientSecret: rostering.NewSecret("the-secret"), CustomerID: "customer", UserID: "user"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i := range 1000 {
		if _, err := client.ListJobs(t.Context()); (err != nil) != (i == 999) {
			t.Fatal(i, err)
		}
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(statusCollector{client})
	text := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(text, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{"rostering_calls_total 1000", "rostering_token_requests_total 1",
		"rostering_failed_token_requests_total 0", "rostering_store_failures_total 0",
		`rostering_failed_calls_total{code="service_error"} 1`} {
		if !strings.Contains(text.Body.String(), "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, text.Body)
		}
	}
}
