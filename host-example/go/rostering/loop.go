package rostering

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	// Time-outs of the steps that run detached from their caller.
	tokenTimeout = 20 * time.Second
	storeTimeout = time.Second

	// In bytes: one more than the plugin accepts of a token answer and of an error's body.
	maxTokenAnswer = 256<<10 + 1
	maxErrorBody   = 64<<10 + 1
)

// loop makes one call: the plugin says what to do, and the loop does it.
type loop struct {
	client   *Client
	instance *instance
	call     *Call
	woken    <-chan struct{} // closed if another call went on after this step was made
	answer   *Response       // the last of the service
}

func (l *loop) run(ctx context.Context) (*Response, error) {
	s, err := l.begin()
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
func (l *loop) begin() (*step, error) {
	accepts := acceptsWait
	if l.client.store != nil {
		accepts = acceptsStore
	}
	input := append([]byte(`{"call":"`), l.call.Name...)
	input = append(input, accepts...)
	if len(bytes.TrimSpace(l.call.Input)) > 0 {
		input = append(append(input, `,"input":`...), l.call.Input...)
	}
	l.woken = l.client.wakeup()
	return l.instance.step("begin", append(input, '}'))
}

// resume hands in the result of a step and asks the plugin for the next.
func (l *loop) resume(s *step, o result) (*step, error) {
	o["flow"], o["now"] = s.Flow, l.call.now()
	input, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("rostering: %s: %w", l.call.Name, err)
	}
	l.woken = l.client.wakeup()
	return l.instance.step("resume", input)
}

// fail is resume after a request that failed.
func (l *loop) fail(s *step, reason error) (*step, error) {
	next, err := l.resume(s, result{"failed": why(reason)})
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeNetworkError {
		e.cause = reason
	}
	return next, err
}

// wait adds up to half of the time at random, so that a fleet does not act in lockstep.
func (l *loop) wait(ctx context.Context, s *step) (*step, error) {
	timer := time.NewTimer(seconds(s.Seconds * (1 + rand.Float64()/2)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.woken:
	case <-ctx.Done():
		return nil, l.call.left(ctx)
	}
	return l.resume(s, result{})
}

// done follows an answer that need not be handed in.
var done = &step{kind: stepDone}

// service sends a request to the service, which is canceled when the caller leaves.
func (l *loop) service(ctx context.Context, s *step) (*step, error) {
	limit := l.client.maxBody
	answer, err := s.Request.send(ctx, l.client.http, s.Request.body(l.call.Body), limit+1)
	if err == nil && int64(len(answer.Body)) > limit {
		err = fmt.Errorf("the answer is longer than %d bytes", limit)
	}
	if err != nil {
		return l.lost(ctx, s, err)
	}
	l.answer = answer
	o := result{"status": answer.Status, "headers": answer.Header}
	switch {
	case answer.Status/100 != 2:
		o["body"] = string(answer.Body[:min(len(answer.Body), maxErrorBody)])
	case s.Last:
		return done, nil
	}
	return l.resume(s, o)
}

// lost handles a request to the service that failed without an answer.
func (l *loop) lost(ctx context.Context, s *step, err error) (*step, error) {
	unsent, ok := errors.AsType[bodyError](err)
	switch {
	case ok && l.answer == nil:
		return nil, fmt.Errorf("rostering: %s: body: %w", l.call.Name, unsent.error)
	case ok: // the request was answered 401 and is to be sent again
		_, _ = l.fail(s, err)
		return nil, &Error{
			Code: CodeServiceUnauthorized, Status: l.answer.Status, cause: unsent.error,
			Message: "the service refused the token, and the body cannot be sent again with a new one; call again",
		}
	case ctx.Err() != nil:
		return nil, l.call.left(ctx)
	}
	return l.fail(s, err)
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
			l.client.wake()
		}
	})
	select {
	case <-ended:
		return next, err
	case <-ctx.Done():
		return nil, l.call.left(ctx)
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
			s, err = l.resume(s, s.do(ctx, l.client.store))
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
	ctx, cancel := context.WithTimeoutCause(ctx, tokenTimeout, timedOut(tokenTimeout))
	defer cancel()
	answer, err := s.Request.send(ctx, l.client.http, s.Request.body(Body{}), maxTokenAnswer)
	if err != nil {
		return l.fail(s, err)
	}
	return l.resume(s, result{"status": answer.Status, "headers": answer.Header, "body": string(answer.Body)})
}
