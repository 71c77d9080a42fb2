package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"automatic-rostering/tests/sandbox/service"
)

// lifetime of the tokens that are to expire.
const lifetime = 10 * time.Second

// fleetCase is something that happens to a fleet.
type fleetCase struct {
	name string
	options
	play func(ctx context.Context, f *fleet) error
	// least and most are how many tokens n processes must, and may, ask for.
	least, most func(n int) int
}

// result is what came of it.
type result struct {
	processes, calls, requests int
	log                        string
}

var cases = []fleetCase{
	{
		name: "all begin; each has a token of its own", options: options{alone: true},
		play: begin, least: each, most: each,
	},
	{name: "all begin", play: begin, least: exactly(1), most: exactly(1)},
	{
		name: "the token is to be renewed, twice", options: options{lifetime: lifetime},
		play: renewals, least: exactly(3), most: exactly(3),
	},
	{
		name: "a Node process asks for the token, and is killed", options: options{lock: 3 * time.Second},
		play: death("node"), least: exactly(2), most: exactly(2),
	},
	{
		name: "a Python process asks for the token, and is killed", options: options{lock: 3 * time.Second},
		play: death("python"), least: exactly(2), most: exactly(2),
	},
	{
		name: "Redis is killed; later the token is to be renewed", options: options{lifetime: lifetime},
		play: withoutRedis, least: func(n int) int { return 1 + n }, most: func(n int) int { return 1 + n },
	},
	{
		name: "the token is revoked; later one more process begins",
		play: revocation, least: exactly(2), most: func(n int) int { return 1 + n },
	},
}

func each(n int) int                   { return n }
func exactly(requests int) func(int) int { return func(int) int { return requests } }

// run starts a fleet, plays the case and judges the count.
func (c fleetCase) run(ctx context.Context, programs []program, n int) (r result, err error) {
	f, err := start(ctx, programs, n, c.options)
	if err != nil {
		return r, fmt.Errorf("%w\n%s", err, f.log())
	}
	err = c.play(ctx, f)
	r = result{processes: len(f.workers), calls: f.calls, requests: f.requests()}
	f.close()
	r.log = f.log()
	if err != nil {
		return r, fmt.Errorf("%w\n%s", err, r.log)
	}
	if r.requests < c.least(n) || r.requests > c.most(n) {
		return r, fmt.Errorf("%d token requests, not %d to %d", r.requests, c.least(n), c.most(n))
	}
	return r, nil
}

func begin(_ context.Context, f *fleet) error { return f.call(5) }
