package main

import (
	"context"
	"fmt"
	"time"

	"automatic-rostering.example/sandbox"
)

// step is one thing to show.
type step struct {
	title string
	show  func(*demo, context.Context) error
	sent  sandbox.Counts // what must have gone out
}

func (d *demo) showAll(ctx context.Context, steps []step) error {
	start := time.Now()
	for i, s := range steps {
		if err := d.showOne(ctx, i+1, s); err != nil {
			d.line(1, d.bad("✗ "+err.Error()))
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	d.line(0, "")
	d.line(0, d.good(fmt.Sprintf("All %d steps went as they must", len(steps)))+", in "+since(start)+".")
	return nil
}

// showOne shows a step, and checks what the sandbox has counted meanwhile.
func (d *demo) showOne(ctx context.Context, number int, s step) error {
	d.line(0, "")
	d.line(0, d.strong(fmt.Sprintf("%d  %s", number, s.title)))
	d.late = 0
	start, before := time.Now(), d.sandbox.Counts()
	if err := s.show(d, ctx); err != nil {
		return err
	}
	after := d.sandbox.Counts()
	sent := sandbox.Counts{
		TokenRequests: after.TokenRequests - before.TokenRequests - d.late,
		JobRequests:   after.JobRequests - before.JobRequests,
	}
	if sent != s.sent {
		return fmt.Errorf("the sandbox counted %s; want %s", inWords(sent), inWords(s.sent))
	}
	d.line(1, d.good("✓ "+inWords(sent)+", as it must be")+d.faint("  "+since(start)))
	return nil
}

func inWords(c sandbox.Counts) string {
	return fmt.Sprintf("token requests: %d, job requests: %d", c.TokenRequests, c.JobRequests)
}

// call shows a call of the client: the requests that it sent, whole or in a line
// each, its result, and how long it took.
func (d *demo) call(name string, whole bool, f func() (string, error)) error {
	d.line(1, name)
	d.wire.record(whole)
	start := time.Now()
	result, err := f()
	duration := since(start)
	for _, e := range d.wire.recorded() {
		d.exchange(e)
	}
	if err != nil {
		result = d.bad(err.Error())
	}
	d.line(2, result+d.faint("  "+duration))
	return err
}

// wait waits for d or the end of ctx.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
