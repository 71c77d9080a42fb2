package rostering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// loop makes one call: it carries out the plugin's steps one after the other.
type loop struct {
	*driver
	call     *call
	renewal  bool            // of a token in the background, for no caller
	woken    <-chan struct{} // closed when a section has ended since the last step was requested
	response *Response       // the service's last
}

func (l *loop) run(ctx context.Context) (*Response, error) {
	s, err := l.begin(ctx)
	for err == nil {
		switch s.kind {
		case stepDone:
			if s.Output != nil {
				return &Response{Body: s.Output}, nil
			}
			return l.response, nil
		case stepWait:
			s, err = l.wait(ctx, s)
		case stepService:
			s, err = l.service(ctx, s)
		default:
			s, err = l.detach(ctx, s)
		}
	}
	if e, ok := errors.AsType[*Error](err); ok && (e.Code == CodeServiceError || e.Code == CodeServiceUnauthorized) && l.response != nil {
		e.Header = l.response.Header
	}
	return nil, err
}

// beginning is the input of the plugin's begin.
type beginning struct {
	Call    string   `json:"call"`
	Accepts []string `json:"accepts"`
	Input   *input   `json:"input"`
}

// accepts returns what the plugin may ask for in addition to requests.
func (l *loop) accepts() []string {
	accepts := []string{"wait"}
	if l.store != nil {
		accepts = append(accepts, "store")
	}
	if !l.renewal {
		accepts = append(accepts, "renew")
	}
	return accepts
}

// begin returns the first step.
func (l *loop) begin(ctx context.Context) (*step, error) {
	key, err := json.Marshal(&l.call.input)
	if err != nil {
		return nil, fmt.Errorf("rostering: %s: %w", l.call.name, err)
	}
	now := l.now()
	key = append(key, l.call.name...)
	if s := l.instance.steps.find(string(key), now); s != nil {
		return s, nil
	}
	l.call.input.Now = now
	l.woken = l.instance.wakeup()
	s, err := l.instance.begin(ctx, &beginning{l.call.name, l.accepts(), &l.call.input}, string(key))
	if err == nil && s.Renew {
		l.renew(ctx)
	}
	return s, err
}

// renew renews the token in the background. The call that began it has a valid token and
// does not wait for it. An error is only logged, and the plugin backs off.
func (l *loop) renew(ctx context.Context) {
	l.work.Go(func() {
		ctx, cancel := l.whileOpen(context.WithoutCancel(ctx))
		defer cancel()
		_, _ = (&loop{driver: l.driver, call: &call{name: "get_token"}, renewal: true}).run(ctx)
	})
}

// resume passes the result of a step to the plugin and returns the next step. If that is a
// wait, it also ends with a section that ends from now on, even before resume returns.
func (l *loop) resume(ctx context.Context, s *step, r result) (*step, error) {
	r["flow"], r["now"] = s.Flow, l.now()
	input, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("rostering: %s: %w", l.call.name, err)
	}
	l.woken = l.instance.wakeup()
	object, err := l.instance.call(ctx, "resume", input)
	if err != nil {
		return nil, err
	}
	return decodeStep(object)
}

// fail is resume after a request that failed.
func (l *loop) fail(ctx context.Context, s *step, cause error) (*step, error) {
	next, err := l.resume(ctx, s, result{"failed": reason(cause)})
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeNetworkError {
		e.cause = cause
	}
	return next, err
}

// wait waits as long as the step says, or until a section of this instance ends. A wait for
// the store ends with no section, and gets jitter, so that a fleet is no thundering herd.
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

// done is the step after a response that the plugin need not see.
var done = &step{kind: stepDone}

// service sends a request to the service. It is canceled when its caller leaves.
func (l *loop) service(ctx context.Context, s *step) (*step, error) {
	response, err := s.Request.send(ctx, l.http, l.call.body, limits{l.maxBody + 1, maxErrorBody})
	if unsent, ok := errors.AsType[bodyError](err); ok {
		return nil, fmt.Errorf("rostering: %s: body: %w", l.call.name, unsent.error)
	}
	if err != nil && ctx.Err() != nil {
		return nil, left(ctx)
	}
	if err != nil {
		return l.fail(ctx, s, err)
	}
	first := l.response == nil
	l.response = response
	r := result{"status": response.Status, "headers": response.Header}
	switch {
	case !accepted(response.Status):
		r["body"] = string(response.Body)
	case int64(len(response.Body)) > l.maxBody:
		return nil, &Error{
			Code:    CodeNetworkError,
			Message: fmt.Sprintf("the response is larger than WithMaxBody (%d bytes): raise it or request less", l.maxBody),
		}
	case s.Last:
		return done, nil
	}
	if first && response.Status == http.StatusUnauthorized {
		r["repeatable"] = l.call.body.reopen()
	}
	// The response counts even if the caller has left.
	return l.resume(context.WithoutCancel(ctx), s, r)
}

// detach carries out a section: token requests and store operations, up to a step of another
// kind. It continues when its caller leaves, because other callers need the token and no lock
// may stay behind in the store.
func (l *loop) detach(ctx context.Context, s *step) (*step, error) {
	var next *step
	var err error
	ended := make(chan struct{})
	l.work.Go(func() {
		defer close(ended)
		section, cancel := l.whileOpen(context.WithoutCancel(ctx))
		defer cancel()
		next, err = l.section(section, s)
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

// section carries out steps until one that ends the section, which it returns.
func (l *loop) section(ctx context.Context, s *step) (*step, error) {
	for {
		var err error
		switch s.kind {
		case stepToken:
			s, err = l.token(ctx, s)
		case stepStore:
			s, err = l.useStore(ctx, s)
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
	response, err := s.Request.send(limited, l.http, nil, limits{s.Limit, s.Limit})
	if ctx.Err() != nil {
		return nil, left(ctx) // the client is closed, which is no failure of the token endpoint
	}
	if err != nil {
		return l.fail(ctx, s, err)
	}
	return l.resume(ctx, s, result{"status": response.Status, "headers": response.Header, "body": string(response.Body)})
}

// useStore performs a store step. The plugin continues without a store that failed.
func (l *loop) useStore(ctx context.Context, s *step) (*step, error) {
	r, err := s.do(ctx, l.store)
	if ctx.Err() != nil {
		return nil, left(ctx)
	}
	if err != nil {
		l.trouble.log(s, err)
		r = result{"failed": err.Error()}
	}
	return l.resume(ctx, s, r)
}
