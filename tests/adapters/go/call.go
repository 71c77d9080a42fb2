package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"automatic-rostering.example/rostering"
)

type token struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresAt   int64  `json:"expires_at"`
	CacheKey    string `json:"cache_key"`
}

type httpRequest struct {
	Method, Path, URL string
	Headers, Query    map[string]string
	JSON              any
	Body              []byte
	Once              bool
}

func call(ctx context.Context, c *rostering.Client, r request) (response, error) {
	c = view(c, r.CustomerID, c.ForCustomer, c.ForNoCustomer)
	c = view(c, r.UserID, c.ForUser, c.ForNoUser)
	var options []rostering.CallOption
	if r.Timeout.given {
		options = append(options, rostering.WithCallTimeout(seconds(r.Timeout.value)))
	}
	switch r.Op {
	case "status":
		return response{"status": c.Status()}, nil
	case "set_secret":
		return response{}, c.SetSecret(ctx, rostering.Secret(r.Secret))
	case "list_jobs":
		if r.Request.Headers != nil {
			options = append(options, rostering.WithCallHeader(lists(r.Request.Headers)))
		}
		return answer(c.ListJobs(ctx, options...))
	case "repeat":
		for range r.Times {
			if _, err := c.ListJobs(ctx, options...); err != nil {
				return nil, err
			}
		}
		return response{}, nil
	case "send_request":
		return r.Request.send(ctx, c, options)
	case "get_token":
		return getToken(ctx, c, r, options)
	case "set_token":
		t := r.Token
		return response{}, c.SetToken(ctx, rostering.Token{
			AccessToken: rostering.Secret(t.AccessToken), Type: t.TokenType, ExpiresAt: time.Unix(t.ExpiresAt, 0), CacheKey: t.CacheKey,
		})
	case "clear_token":
		return response{}, c.ClearToken(ctx)
	}
	if r.Timeout.given && !r.Timeout.null { // what is left takes a context alone
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, seconds(r.Timeout.value))
		defer cancel()
	}
	switch r.Op {
	case "own":
		return r.Request.own(ctx, c)
	case "close":
		return response{}, c.Shutdown(ctx)
	}
	return nil, fmt.Errorf("no operation %s", r.Op)
}

// view is the client with the id of a request.
func view(c *rostering.Client, id optional[string], of func(string) *rostering.Client, none func() *rostering.Client) *rostering.Client {
	switch {
	case !id.given:
		return c
	case id.null:
		return none()
	}
	return of(id.value)
}

func answer(r *rostering.Response, err error) (response, error) {
	if err != nil {
		return nil, err
	}
	return response{"status": r.Status, "headers": headers(r.Header), "body": r.Body}, nil
}

func getToken(ctx context.Context, c *rostering.Client, r request, options []rostering.CallOption) (response, error) {
	var all []rostering.TokenOption
	for _, option := range options {
		all = append(all, option)
	}
	if r.Force {
		all = append(all, rostering.Force())
	}
	if r.Refused != "" {
		all = append(all, rostering.Refused(rostering.Secret(r.Refused)))
	}
	t, err := c.GetToken(ctx, all...)
	return response{"token": token{string(t.AccessToken), t.Type, t.ExpiresAt.Unix(), t.CacheKey}}, err
}

func (r httpRequest) send(ctx context.Context, c *rostering.Client, options []rostering.CallOption) (response, error) {
	if r.JSON != nil {
		return nil, errors.New("a Request has no JSON")
	}
	request := rostering.Request{Method: r.Method, Path: r.Path, Query: lists(r.Query), Header: lists(r.Headers), Body: r.body()}
	return answer(c.SendRequest(ctx, request, options...))
}

// own sends a program's own request.
func (r httpRequest) own(ctx context.Context, c *rostering.Client) (response, error) {
	transport, err := rostering.NewTransport(c, nil)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, r.body())
	if err != nil {
		return nil, err
	}
	request.Header = lists(r.Headers)
	got, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = got.Body.Close() }()
	content, err := io.ReadAll(got.Body)
	return answer(&rostering.Response{Status: got.StatusCode, Header: got.Header, Body: content}, err)
}

// bare sends the request with net/http alone, again and again.
func (r httpRequest) bare(ctx context.Context, times int) error {
	for range times {
		request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, r.body())
		if err != nil {
			return err
		}
		for name, value := range r.Headers {
			request.Header.Set(name, value)
		}
		got, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		if _, err = io.ReadAll(got.Body); err != nil || got.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %w", got.Status, err)
		}
		_ = got.Body.Close()
	}
	return nil
}

// lists has a list of one value for each name.
func lists(values map[string]string) map[string][]string {
	all := map[string][]string{}
	for name, value := range values {
		all[name] = []string{value}
	}
	return all
}

// body is the request's body, or nil.
func (r httpRequest) body() io.Reader {
	switch {
	case r.Once:
		return io.MultiReader(bytes.NewReader(r.Body))
	case r.Body != nil:
		return bytes.NewReader(r.Body)
	}
	return nil
}
