package main

import (
	"context"
	"fmt"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/sandbox"
)

var steps = []step{
	{"The plugin alone, through a plain Extism SDK", alone, sandbox.Counts{TokenRequests: 1, JobRequests: 1}},
	{"The library: its first call gets a token, then the jobs", listJobs, sandbox.Counts{TokenRequests: 1, JobRequests: 1}},
	{"The second call has the token already", listJobs, sandbox.Counts{JobRequests: 1}},
	{"A token that expires is renewed", expiry, sandbox.Counts{TokenRequests: 2, JobRequests: 1}},
	{"A revoked token is replaced, and the request repeated once", revoked, sandbox.Counts{TokenRequests: 1, JobRequests: 2}},
	{"The identity provider is down, and is not stormed", down, sandbox.Counts{TokenRequests: 3, JobRequests: 2}},
	{"A failure is an error with fields", failure, sandbox.Counts{TokenRequests: 1}},
}

// jobs lists the jobs.
func (d *demo) jobs(ctx context.Context) error {
	return d.call("client.ListJobs(ctx)", false, func() (string, error) {
		response, err := d.client.ListJobs(ctx)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("the service's response: %d bytes", len(response.Body)), nil
	})
}

func listJobs(d *demo, ctx context.Context) error { return d.jobs(ctx) }

func expiry(d *demo, ctx context.Context) error {
	const lifetime = 3 * time.Second
	d.line(1, d.faint("the next token lives "+lifetime.String()))
	if err := d.sandbox.SetLifetime(lifetime); err != nil {
		return err
	}
	var token rostering.Token
	err := d.call("client.GetToken(ctx, rostering.Force())", false, func() (_ string, err error) {
		token, err = d.client.GetToken(ctx, rostering.Force())
		return "expires at " + token.ExpiresAt.Format(time.TimeOnly), err
	})
	if err != nil {
		return err
	}
	if err := d.sandbox.SetLifetime(sandbox.DefaultLifetime); err != nil {
		return err
	}
	if err := d.wait(ctx, time.Until(token.ExpiresAt)); err != nil {
		return err
	}
	return d.jobs(ctx)
}

func revoked(d *demo, ctx context.Context) error {
	d.line(1, d.faint("the token is revoked; the plugin cannot know"))
	d.sandbox.Revoke()
	return d.jobs(ctx)
}

// wait waits and says so.
func (d *demo) wait(ctx context.Context, pause time.Duration) error {
	d.line(1, d.faint("waiting "+pause.Round(100*time.Millisecond).String()+" …"))
	return wait(ctx, pause)
}
