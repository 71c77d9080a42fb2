package rostering_test

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"automatic-rostering/host-example/go/rostering"
)

func TestEveryFieldOfAnError(t *testing.T) {
	err := rostering.PluginError(`{"code":"service_error","message":"m","retryable":true,"key":"k","status":503,
		"oauth_error":"o","oauth_error_description":"d","retry_after":7,"body":"b","body_truncated":true}`)
	got := wantError(t, err, rostering.CodeServiceError)
	want := rostering.Error{
		Code: "service_error", Message: "m", Retryable: true, Key: "k", Status: 503,
		OAuthError: "o", OAuthErrorDescription: "d", RetryAfter: 7 * time.Second, Body: "b", BodyTruncated: true,
	}
	if *got != want {
		t.Errorf("%+v, want %+v", *got, want)
	}
	if got := err.Error(); got != "rostering: service_error: m" {
		t.Errorf("the text is %q", got)
	}
}

func TestConfigError(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		config := s.config()
		config.Environment = "test"
		_, err := open(t, config).Jobs(t.Context())
		if e := wantError(t, err, rostering.CodeConfigInvalid); e.Key != "environment" || e.Retryable {
			t.Errorf("%+v", e)
		}
		if want := "rostering: config_invalid: "; !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q does not begin with %q", err, want)
		}
		_, err = open(t, rostering.Config{}).Jobs(t.Context())
		wantError(t, err, rostering.CodeConfigMissing)
		s.wantRequests(t, 0, 0)
	})
}

func TestTokenEndpointError(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		s.answerToken(answer(http.StatusUnauthorized, `{"error":"invalid_client","error_description":"unknown"}`))
		_, err := open(t, s.config()).Jobs(t.Context())
		e := wantError(t, err, rostering.CodeTokenEndpointRejected)
		if e.Retryable || e.Status != http.StatusUnauthorized || e.RetryAfter != time.Second ||
			e.OAuthError != "invalid_client" || e.OAuthErrorDescription != "unknown" || e.Message == "" {
			t.Errorf("%+v", e)
		}
	})
}

func TestServiceError(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		s.answerJobs(answer(http.StatusServiceUnavailable, "busy"))
		_, err := client.Jobs(t.Context())
		e := wantError(t, err, rostering.CodeServiceError)
		if !e.Retryable || e.Status != http.StatusServiceUnavailable || e.Body != "busy" || e.BodyTruncated {
			t.Errorf("%+v", e)
		}
		s.answerJobs(answer(http.StatusForbidden, strings.Repeat("x", 70<<10)))
		_, err = client.Jobs(t.Context())
		e = wantError(t, err, rostering.CodeServiceError)
		if e.Retryable || e.Status != http.StatusForbidden || len(e.Body) != 64<<10 || !e.BodyTruncated {
			t.Errorf("retryable %v, status %d, %d bytes, truncated %v", e.Retryable, e.Status, len(e.Body), e.BodyTruncated)
		}
		s.mend()
		wantJobs(t, client)
	})
}

func TestInputError(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		_, err := open(t, s.config()).JobsFor(t.Context(), rostering.JobsInput{CustomerID: "line\nbreak"})
		if e := wantError(t, err, rostering.CodeInvalidInput); e.Key != "customer_id" {
			t.Errorf("%+v", e)
		}
	})
}

func TestServiceCannotBeReached(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		config := s.config()
		address := closedPort(t)
		config.BaseURL = "http://" + address
		client := open(t, config)
		_, err := client.Jobs(t.Context())
		wantRefused(t, err)
		serveAt(t, address, s.Config.Handler)
		wantJobs(t, client)
		s.wantRequests(t, 1, 1)
	})
}

func TestTokenEndpointCannotBeReached(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		config := s.config()
		address := closedPort(t)
		config.AuthURL = "http://" + address
		client := open(t, config)
		_, err := client.Jobs(t.Context())
		wantRefused(t, err)
		serveAt(t, address, s.Config.Handler)
		afterBackOff(t, client)
		s.wantRequests(t, 1, 1)
	})
}

func TestAnswerThatBreaksOff(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		s.answerJobs(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("not all"))
		})
		_, err := client.Jobs(t.Context())
		if e := wantError(t, err, rostering.CodeNetworkError); !strings.Contains(e.Message, "unexpected EOF") {
			t.Errorf("the message is %q", e.Message)
		}
		s.mend()
		wantJobs(t, client)
	})
}

// closedPort gives an address that nobody listens on.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func serveAt(t *testing.T, address string, h http.Handler) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: patience}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
}

func wantRefused(t *testing.T, err error) {
	t.Helper()
	e := wantError(t, err, rostering.CodeNetworkError)
	if !e.Retryable || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("retryable %v, cause %v", e.Retryable, errors.Unwrap(e))
	}
	if strings.Contains(e.Message, "wasm") || strings.Contains(e.Message, "\n") {
		t.Errorf("the message holds a stack trace: %q", e.Message)
	}
}
