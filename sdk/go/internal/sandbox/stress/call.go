package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"automatic-rostering.example/rostering"
)

// call makes one call, with a random way to end early.
func (s *stress) call(c *client, r *rand.Rand) {
	defer watch("a call").Stop()
	ctx, cancel := limit(r)
	defer cancel()
	var options []rostering.CallOption
	if r.IntN(5) == 0 {
		options = append(options, rostering.WithCallTimeout(time.Duration(1+r.IntN(100))*time.Millisecond))
	}
	customer := fmt.Sprint("customer-", r.IntN(4))
	view, token := c.ForCustomer(customer), *s.token.Load()
	var response *rostering.Response
	var err error
	name := "a request"
	switch n := r.IntN(100); {
	case n < 40:
		response, err = view.ListJobs(ctx, options...)
	case n < 55:
		response, err = view.SendRequest(ctx, rostering.Request{Path: fmt.Sprint("/jobs?n=", r.IntN(400))}, options...)
	case n < 65:
		body := io.Reader(strings.NewReader("again"))
		if r.IntN(2) == 0 {
			body = io.MultiReader(body) // can be read only once
		}
		_, err = view.SendRequest(ctx, rostering.Request{Method: "POST", Path: "/jobs", Body: body}, options...)
	case n < 75:
		err = s.keep(c.GetToken(ctx))
	case n < 80:
		err = s.keep(c.GetToken(ctx, rostering.Force()))
	case n < 86 && token.AccessToken != "":
		err = s.keep(c.GetToken(ctx, rostering.Refused(token.AccessToken)))
	case n < 89:
		name, err = "SetToken", c.SetToken(ctx, token)
	case n < 91:
		err = c.ClearToken(ctx)
	case n < 96:
		name, err = "the transport", s.roundTrip(ctx, c)
	default:
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		response, err = rostering.Retry(ctx, func(ctx context.Context) (*rostering.Response, error) { return view.ListJobs(ctx) })
	}
	s.calls.Add(1)
	if err != nil {
		s.judge(name, c, ctx, err)
		return
	}
	s.succeeded.Add(1)
	if response != nil && response.Status == http.StatusOK && !strings.Contains(string(response.Body), `"customer_id":"`+customer+`"`) {
		fail("%s got the response of another call: %s", customer, response.Body)
	}
}

// watch dumps the stacks of all goroutines if it is not stopped in time.
func watch(what string) *time.Timer {
	return time.AfterFunc(hangs, func() { panic(what + " does not end") })
}

// limit returns the context of a call, which may end at any time.
func limit(r *rand.Rand) (context.Context, context.CancelFunc) {
	after := time.Duration(r.IntN(100)) * time.Millisecond
	switch r.IntN(4) {
	case 0:
		return context.WithTimeout(context.Background(), after) // which may have ended
	case 1:
		ctx, cancel := context.WithCancel(context.Background())
		timer := time.AfterFunc(after, cancel)
		return ctx, func() {
			timer.Stop()
			cancel()
		}
	}
	return context.WithCancel(context.Background())
}

// keep remembers a token.
func (s *stress) keep(token rostering.Token, err error) error {
	if err == nil {
		if token.AccessToken == "" || token.CacheKey == "" || token.ExpiresAt.IsZero() {
			fail("GetToken returned %+v", token)
		}
		s.token.Store(&token)
	}
	return err
}

// roundTrip sends a request by the client's Transport.
func (s *stress) roundTrip(ctx context.Context, c *client) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.config.BaseURL+"/jobs", nil)
	if err != nil {
		return err
	}
	response, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// judge fails unless the contract, the caller or the closing of the client explains an error.
func (s *stress) judge(name string, c *client, ctx context.Context, err error) {
	s.hidden(err.Error())
	e, ok := errors.AsType[*rostering.Error](err)
	switch {
	case ok:
		object, failed := json.Marshal(e)
		if failed != nil || e.Message == "" || !possible(name, e) {
			fail("%s ended with %+v, %v", name, e, failed)
		}
		s.hidden(string(object))
	case errors.Is(err, rostering.ErrClosed):
		if !c.closed.Load() {
			fail("%s ended with %v", name, err)
		}
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		s.canceled.Add(1)
	case name != "the transport": // which has the errors of net/http, too
		fail("%s ended with %v", name, err)
	}
}

// possible reports whether a call can end with an error of this code here, where the config and the input are valid.
func possible(name string, e *rostering.Error) bool {
	switch e.Code {
	case rostering.CodeTokenEndpointRejected:
		return !e.Retryable
	case rostering.CodeTokenEndpointUnavailable, rostering.CodeTokenResponseInvalid, rostering.CodeNetworkError:
		return e.Retryable
	case rostering.CodeServiceError:
		return e.Status != 0 && e.Status/100 != 2 && e.Header != nil
	case rostering.CodeServiceUnauthorized:
		return e.Status == 0 || e.Status == http.StatusUnauthorized
	case rostering.CodeTokenMismatch: // an expired token
		return name == "SetToken"
	case rostering.CodeInvalidInput: // the zero Token is none
		return name == "SetToken"
	}
	return false
}

// hidden fails if a text holds the secret, or a token: each is a JWT, whose header begins so.
func (s *stress) hidden(text string) {
	if strings.Contains(text, string(s.config.ClientSecret)) || strings.Contains(text, "eyJ") {
		fail("it shows a secret: %s", text)
	}
}
