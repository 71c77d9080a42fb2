package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/sandbox"
)

func down(d *demo, ctx context.Context) error {
	d.line(1, d.faint("the token is revoked, and token requests get 503"))
	if err := d.sandbox.SetFault(sandbox.AuthServer, sandbox.Fault{Status: http.StatusServiceUnavailable}); err != nil {
		return err
	}
	d.sandbox.Revoke()
	first, err := d.refused(ctx)
	if err != nil {
		return err
	}
	if err := d.wait(ctx, first); err != nil {
		return err
	}
	second, err := d.refused(ctx)
	if err != nil {
		return err
	}
	if second <= first {
		return fmt.Errorf("the backoff does not grow: %v, then %v", first, second)
	}
	left, err := d.countDown(ctx, second)
	if err != nil {
		return err
	}
	d.line(1, d.faint("token requests succeed again"))
	d.sandbox.ClearFaults()
	if err := d.wait(ctx, left); err != nil {
		return err
	}
	return d.jobs(ctx)
}

// refused calls while no token can be had, and gives the time to wait.
func (d *demo) refused(ctx context.Context) (time.Duration, error) {
	e, err := wantError(d.jobs(ctx), rostering.CodeTokenEndpointUnavailable)
	if err != nil {
		return 0, err
	}
	if e.RetryAfter <= 0 {
		return 0, errors.New("the error does not say when to try again")
	}
	d.line(2, "RetryAfter: "+e.RetryAfter.String())
	return e.RetryAfter, nil
}

// countDown calls again and again until less is left of the time to wait. The
// sandbox's counts show that no request is sent meanwhile.
func (d *demo) countDown(ctx context.Context, from time.Duration) (time.Duration, error) {
	const pause = 100 * time.Millisecond
	d.line(1, "client.ListJobs(ctx), again and again")
	for calls := 1; ; calls++ {
		_, err := d.client.ListJobs(ctx)
		e, err := wantError(err, rostering.CodeTokenEndpointUnavailable)
		if err != nil {
			return 0, err
		}
		if e.RetryAfter > from {
			// This machine stood still for longer than the wait: it was over, and the
			// plugin rightly asked again.
			d.late++
			from = e.RetryAfter
		}
		if e.RetryAfter < from {
			d.line(2, fmt.Sprintf("the same error, %d times, at no request; RetryAfter: %v by now", calls, e.RetryAfter))
			return e.RetryAfter, nil
		}
		if err := wait(ctx, pause); err != nil {
			return 0, err
		}
	}
}

func failure(d *demo, ctx context.Context) error {
	config := d.config
	config.ClientSecret = "not-the-secret"
	client, err := d.newClient(ctx, config)
	if err != nil {
		return err
	}
	defer client.Close()
	d.line(1, d.faint("another client, with a wrong secret"))
	err = d.call("client.GetToken(ctx)", false, func() (string, error) {
		_, err := client.GetToken(ctx)
		return "", err
	})
	e, err := wantError(err, rostering.CodeTokenEndpointRejected)
	if err != nil {
		return err
	}
	if e.OAuthError != "invalid_client" {
		return fmt.Errorf("the OAuth error is %q", e.OAuthError)
	}
	d.fields(e)
	return nil
}

// wantError returns the error that a call must have ended in.
func wantError(err error, code rostering.Code) (*rostering.Error, error) {
	e, ok := errors.AsType[*rostering.Error](err)
	switch {
	case err == nil:
		return nil, fmt.Errorf("no error, want %s", code)
	case !ok || e.Code != code:
		return nil, fmt.Errorf("not the error %s: %w", code, err)
	}
	return e, nil
}

// fields shows an error as a Go program has it.
func (d *demo) fields(e *rostering.Error) {
	d.line(2, "&rostering.Error{")
	d.line(3, fmt.Sprintf("Code:                  %q,", e.Code))
	d.line(3, fmt.Sprintf("Message:               %q,", e.Message))
	d.line(3, fmt.Sprintf("Retryable:             %v,", e.Retryable))
	d.line(3, fmt.Sprintf("Status:                %d,", e.Status))
	d.line(3, fmt.Sprintf("OAuthError:            %q,", e.OAuthError))
	d.line(3, fmt.Sprintf("OAuthErrorDescription: %q,", e.OAuthErrorDescription))
	d.line(3, fmt.Sprintf("RetryAfter:            %d * time.Second,", e.RetryAfter/time.Second))
	d.line(2, "}")
}
