package rostering

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// maxErrorBody is one byte more than the plugin shows of an error's body.
const maxErrorBody = 64<<10 + 1

// loop makes one call: the plugin says what to do, and the loop does it.
type loop struct {
	client   *Client
	instance *instance
	call     *Call
	woken    <-chan struct{} // closed if a section has ended since the last step was requested
	answer   *Response       // the last of the service
}

func (l *loop) run(ctx context.Context) (*Response, error) {
	defer l.call.Body.close()
	s, err := l.begin(ctx)
	for err == nil {
		switch s.kind {
		case stepDone:
			if s.Output != nil {
				return &Response{Body: s.Output}, nil
			}
			return l.answer, nil
		case stepWait:
			s, err = l.wait(ctx, s)
		case stepService:
			s, err = l.service(ctx, s)
		default:
			s, err = l.detach(ctx, s)
		}
	}
	return nil, err
}

var (
	acceptsWait  = []byte(`","accepts":["wait"]`)
	acceptsStore = []byte(`","accepts":["wait","store"]`)
)

// begin asks the plugin for the first step.
func (l *loop) begin(ctx context.Context) (*step, error) {
	accepts := acceptsWait
	if l.client.store != nil {
		accepts = acceptsStore
	}
	input := append([]byte(`{"call":"`), l.call.Name...)
	input = append(input, accepts...)
	if len(bytes.TrimSpace(l.call.Input)) > 0 {
		input = append(append(input, `,"input":`...), l.call.Input...)
	}
	return l.step(ctx, "begin", append(input, '}'))
}

// resume passes the result of a step to the plugin and asks for the next.
func (l *loop) resume(ctx context.Context, s *step, o result) (*step, error) {
	o["flow"], o["now"] = s.Flow, l.call.now()
	input, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("rostering: %s: %w", l.call.Name, err)
	}
	return l.step(ctx, "resume", input)
}

// step calls the plugin. A section that ends during the call may change what the step that
// it returns waits for: so its end counts.
func (l *loop) step(ctx context.Context, export string, input []byte) (*step, error) {
	l.woken = l.instance.wakeup()
	return l.instance.step(ctx, export, input)
}

// fail is resume after a request that failed.
func (l *loop) fail(ctx context.Context, s *step, reason error) (*step, error) {
	next, err := l.resume(ctx, s, result{"failed": why(reason)})
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeNetworkError {
		e.cause = reason
	}
	return next, err
}

// wait waits for the end of a section of this instance. A wait for the store has nothing to
// end it, and up to half of its time is added at random, so that a fleet does not act in
// lockstep.
func (l *loop) wait(ctx context.Context, s *step) (*step, error) {
	length, woken := s.Seconds, l.woken
	if s.For == "store" {
		length, woken = length*(1+rand.Float64()/2), nil
	}
	timer := time.NewTimer(seconds(length))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-woken:
	case <-ctx.Done():
		return nil, left(ctx)
	}
	return l.resume(ctx, s, result{})
}

// done follows an answer that need not be handed in.
var done = &step{kind: stepDone}

// service sends a request to the service, which is canceled when the caller leaves.
func (l *loop) service(ctx context.Context, s *step) (*step, error) {
	limit := l.client.maxBody
	body := s.Request.body(&l.call.Body)
	answer, err := s.Request.send(ctx, l.client.http, body, limit+1)
	if err == nil && int64(len(answer.Body)) > limit {
		err = fmt.Errorf("the answer is longer than %d bytes", limit)
	}
	if err != nil {
		return l.lost(ctx, s, err)
	}
	first := l.answer == nil
	l.answer = answer
	o := result{"status": answer.Status, "headers": answer.Header}
	switch {
	case answer.Status/100 != 2:
		o["body"] = string(answer.Body[:min(len(answer.Body), maxErrorBody)])
	case s.Last:
		return done, nil
	}
	if first && answer.Status == http.StatusUnauthorized {
		o["repeatable"] = body.reopen() == nil
	}
	// The answer counts even if the caller's time has run out.
	return l.resume(context.WithoutCancel(ctx), s, o)
}

// lost handles a request to the service that failed without an answer.
func (l *loop) lost(ctx context.Context, s *step, err error) (*step, error) {
	if unsent, ok := errors.AsType[bodyError](err); ok {
		return nil, fmt.Errorf("rostering: %s: body: %w", l.call.Name, unsent.error)
	}
	if ctx.Err() != nil {
		return nil, left(ctx)
	}
	return l.fail(ctx, s, err)
}

// detach makes token requests and does store operations until a step of another kind. They
// belong to all callers, so one who leaves does not end them: the others need the token,
// and no lock may stay behind in the store.
func (l *loop) detach(ctx context.Context, s *step) (*step, error) {
	var next *step
	var err error
	ended := make(chan struct{})
	l.client.active.Go(func() {
		defer close(ended)
		next, err = l.section(context.WithoutCancel(ctx), s)
		if err != nil || next.kind != stepWait {
			l.instance.wake()
		}
	})
	select {
	case <-ended:
		return next, err
	case <-ctx.Done():
		return nil, left(ctx)
	}
}

// section is what detach does.
func (l *loop) section(ctx context.Context, s *step) (*step, error) {
	for {
		var err error
		switch s.kind {
		case stepToken:
			s, err = l.token(ctx, s)
		case stepStore:
			s, err = l.resume(ctx, s, s.do(ctx, l.client.store))
		default:
			return s, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// token requests a token.
func (l *loop) token(ctx context.Context, s *step) (*step, error) {
	limited, cancel := s.limit(ctx)
	defer cancel()
	answer, err := s.Request.send(limited, l.client.http, s.Request.body(new(Body)), s.Limit)
	if err != nil {
		return l.fail(ctx, s, err)
	}
	return l.resume(ctx, s, result{"status": answer.Status, "headers": answer.Header, "body": string(answer.Body)})
}
