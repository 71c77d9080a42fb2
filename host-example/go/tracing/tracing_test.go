// Package tracing shows how the library's requests become OpenTelemetry spans.
package tracing

import (
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	api "go.opentelemetry.io/otel/trace"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

func TestSpans(t *testing.T) {
	s := sandbox.New(t)
	exporter := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(exporter))
	traced := &http.Client{Transport: otelhttp.NewTransport(http.DefaultTransport, otelhttp.WithTracerProvider(provider))}
	client, err := rostering.New(t.Context(), s.Config(), rostering.WithHTTPClient(traced))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	ctx, parent := provider.Tracer("test").Start(t.Context(), "a request to this program")
	if _, err := client.ListJobs(ctx); err != nil {
		t.Fatal(err)
	}
	spans := exporter.GetSpans() // without the parent, which has not ended
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	config := s.Config()
	for n, want := range []string{config.AuthURL + "/connect/token", config.BaseURL + "/jobs"} {
		span := spans[n]
		set := attribute.NewSet(span.Attributes...)
		url, _ := set.Value("url.full")
		status, _ := set.Value("http.response.status_code")
		if span.SpanKind != api.SpanKindClient || span.Parent.SpanID() != parent.SpanContext().SpanID() ||
			url.AsString() != want || status.AsInt64() != http.StatusOK {
			t.Errorf("the span is %s %v, want one of %s", span.Name, span.Attributes, want)
		}
	}
	token, err := client.GetToken(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, span := range spans {
		for _, content := range contents(span) {
			if strings.Contains(content, string(token.AccessToken)) || strings.Contains(content, string(config.ClientSecret)) {
				t.Errorf("the span %s shows a secret", span.Name)
			}
		}
	}
}

// contents returns all strings in a span.
func contents(span tracetest.SpanStub) []string {
	all := []string{span.Name, span.Status.Description}
	attributes := append(span.Attributes, span.Resource.Attributes()...)
	for _, event := range span.Events {
		all = append(all, event.Name)
		attributes = append(attributes, event.Attributes...)
	}
	for _, a := range attributes {
		all = append(all, a.Value.Emit())
	}
	return all
}
