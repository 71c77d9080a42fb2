package rostering_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

// patience bounds every wait. It is no measure of how long things take.
const patience = 20 * time.Second

// open starts a sandbox and creates a client for it.
func open(t *testing.T, options ...rostering.Option) (*sandbox.Sandbox, *rostering.Client) {
	t.Helper()
	s := sandbox.New(t)
	return s, newClient(t, s.Config(), options...)
}

// newClient creates a client that is closed at the end of the test.
func newClient(t *testing.T, config rostering.Config, options ...rostering.Option) *rostering.Client {
	t.Helper()
	c, err := rostering.New(t.Context(), config, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := c.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	return c
}

func wantJobs(t *testing.T, client *rostering.Client) {
	t.Helper()
	r, err := client.ListJobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Jobs []any }
	if err := r.JSON(&list); err != nil || len(list.Jobs) == 0 || r.Status != http.StatusOK {
		t.Errorf("the response is %d %q, %v", r.Status, r.Body, err)
	}
}

// wantError returns an error that must have a code.
func wantError(t *testing.T, err error, code rostering.Code) *rostering.Error {
	t.Helper()
	e, ok := errors.AsType[*rostering.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("the error is %v, want %s", err, code)
	}
	return e
}
