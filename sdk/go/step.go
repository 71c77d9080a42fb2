package rostering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// step is a step of the plugin. It does not change once decoded.
type step struct {
	Step  string // request, store, wait or done
	Flow  json.RawMessage
	Token *tokenObject // which calls use until the Unix time Until; or nil
	Until int64

	Request outgoing // for a token
	Timeout float64  // of it or of a store step, in seconds
	Limit   int64    // of the response, in bytes

	Op, Key, Value string // of a store step
	TTL            float64

	Seconds float64 // to wait
}

func decodeStep(object []byte) (*step, error) {
	var s step
	if err := json.Unmarshal(object, &s); err != nil {
		return nil, pluginFailed("it returned no step")
	}
	if s.Step == "done" && s.Token == nil {
		return nil, pluginFailed("it returned no token")
	}
	return &s, nil
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// limit returns a context that ends after the step's timeout.
func (s *step) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	timeout := seconds(s.Timeout)
	return context.WithTimeoutCause(ctx, timeout, timedOut(timeout))
}

// requestToken sends the step's request.
func (s *step) requestToken(ctx context.Context, client *http.Client) (result, error) {
	ctx, cancel := s.limit(ctx)
	defer cancel()
	q, err := s.Request.request()
	if err != nil {
		return nil, err
	}
	response, err := exchange(q.WithContext(ctx), client, limits{s.Limit, s.Limit})
	if err != nil {
		return nil, err
	}
	return result{"status": response.Status, "headers": response.Header, "body": string(response.Body)}, nil
}

// useStore performs a store step.
func (s *step) useStore(ctx context.Context, store Store) (result, error) {
	ctx, cancel := s.limit(ctx)
	defer cancel()
	return bounded(ctx, func() (result, error) { return s.call(ctx, store) })
}

// mostValue is the longest value of a store that the plugin gets, in bytes: any token is shorter.
const mostValue = 64 << 10

// call calls the store.
func (s *step) call(ctx context.Context, store Store) (result, error) {
	ttl := seconds(s.TTL)
	switch s.Op {
	case "get":
		value, found, err := store.Get(ctx, s.Key)
		if len(value) > mostValue {
			return nil, errors.New("the value has more than 64 KiB")
		}
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
