package rostering

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// kind is the kind of a step.
type kind int

const (
	stepDone    kind = iota
	stepService      // a request to the service
	stepToken        // a token request
	stepWait
	stepStore
)

// step is a step of the plugin. Several calls may share one: it does not change once decoded.
type step struct {
	kind    kind
	Step    string
	For     string // of a request: token or service; of a wait: call or store
	Flow    json.RawMessage
	Request *request
	Last    bool            // the plugin need not see a response that is a result
	Output  json.RawMessage // of get_token, when it is done
	Until   int64           // the Unix time until which the step of a begin may be kept; or zero
	Renew   bool            // renew the token in the background

	Seconds float64 // to wait

	Timeout float64 // of a token request or a store step, in seconds
	Limit   int64   // of a token response, in bytes

	Op, Key, Value string // of a store step
	TTL            float64
}

// result is the result of a step, for resume.
type result map[string]any

func decodeStep(object []byte) (*step, error) {
	var s step
	if err := json.Unmarshal(object, &s); err != nil {
		return nil, fmt.Errorf("rostering: the plugin returned no step: %w", err)
	}
	switch {
	case s.Step == "done":
		s.kind = stepDone
	case s.Step == "request" && s.Request != nil && s.For == "service":
		s.kind = stepService
	case s.Step == "request" && s.Request != nil && s.For == "token":
		s.kind = stepToken
	case s.Step == "wait":
		s.kind = stepWait
	case s.Step == "store":
		s.kind = stepStore
	default:
		return nil, fmt.Errorf("rostering: the plugin returned an unknown step %q", s.Step)
	}
	return &s, nil
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// limit returns a context that ends after the step's timeout.
func (s *step) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	timeout := seconds(s.Timeout)
	return context.WithTimeoutCause(ctx, timeout, timedOut(timeout))
}

// do performs a store step. It returns after the step's timeout even if the store ignores its
// context.
func (s *step) do(ctx context.Context, store Store) (r result, err error) {
	ctx, cancel := s.limit(ctx)
	defer cancel()
	type outcome struct {
		result
		error
	}
	ended := make(chan outcome, 1)
	go func() {
		r, err := s.use(ctx, store)
		ended <- outcome{r, err}
	}()
	select {
	case o := <-ended:
		return o.result, o.error
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// use calls the store.
func (s *step) use(ctx context.Context, store Store) (result, error) {
	ttl := seconds(s.TTL)
	switch s.Op {
	case "get":
		value, found, err := store.Get(ctx, s.Key)
		if !found {
			return result{"value": nil}, err
		}
		return result{"value": value}, err
	case "add":
		added, err := store.Add(ctx, s.Key, s.Value, ttl)
		return result{"added": added}, err
	case "set":
		return result{}, store.Set(ctx, s.Key, s.Value, ttl)
	}
	return nil, fmt.Errorf("unknown operation %q", s.Op)
}
