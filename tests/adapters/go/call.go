package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	rostering "automatic-rostering.example/rostering/sdk/go"
	"automatic-rostering.example/rostering/tests/runner/protocol"
)

func call(ctx context.Context, c *rostering.Client, r request) (a protocol.Response, _ error) {
	c = view(c, r.CustomerID, c.ForCustomer, c.ForNoCustomer)
	c = view(c, r.UserID, c.ForUser, c.ForNoUser)
	var options []rostering.CallOption
	if r.Timeout != nil {
		options = append(options, rostering.WithCallTimeout(seconds(r.Timeout)))
	}
	switch r.Op {
	case "list_jobs":
		options = append(options, rostering.WithCallHeader(lists(r.Headers)))
		return answer(c.ListJobs(ctx, options...))
	case "send_request":
		return answer(c.SendRequest(ctx, rostering.Request{
			Method: r.Method, Path: r.Path, Query: lists(r.Query), Header: lists(r.Headers), Body: body(r),
		}, options...))
	case "get_token":
		return getToken(ctx, c, r, options)
	case "set_token":
		t := r.Token
		return a, c.SetToken(ctx, rostering.Token{
			AccessToken: rostering.NewSecret(t.AccessToken), Type: t.TokenType, ExpiresAt: time.Unix(t.ExpiresAt, 0), CacheKey: t.CacheKey,
		})
	case "clear_token":
		return a, c.ClearToken(ctx)
	case "set_secret":
		return a, c.SetSecret(ctx, rostering.NewSecret(r.Secret))
	case "status":
		return protocol.Response{JSON: c.Status()}, nil
	}
	if limit := seconds(r.Timeout); limit != 0 { // what is left takes a context alone
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	switch r.Op {
	case "own":
		transport, err := rostering.NewTransport(c, nil)
		if err != nil {
			return a, err
		}
		return own(ctx, r, transport)
	case "close":
		return a, c.Shutdown(ctx)
	}
	return a, fmt.Errorf("no operation %s", r.Op)
}

// view is the client with an id, which may be null, or missing.
func view(c *rostering.Client, id json.RawMessage, of func(string) *rostering.Client, none func() *rostering.Client) *rostering.Client {
	var text *string
	_ = json.Unmarshal(id, &text)
	switch {
	case id == nil:
		return c
	case text == nil:
		return none()
	}
	return of(*text)
}

func answer(r *rostering.Response, err error) (a protocol.Response, _ error) {
	if err != nil {
		return a, err
	}
	return protocol.Response{Status: r.Status, Headers: headers(r.Header), Body: r.Body}, nil
}

// headers are those of a response, with names in lower case.
func headers(h http.Header) map[string]string {
	lower := map[string]string{}
	for name, values := range h {
		lower[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return lower
}

type token struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresAt   int64  `json:"expires_at"`
	CacheKey    string `json:"cache_key"`
}

func getToken(ctx context.Context, c *rostering.Client, r request, options []rostering.CallOption) (a protocol.Response, err error) {
	var all []rostering.TokenOption
	for _, option := range options {
		all = append(all, option)
	}
	if r.Force {
		all = append(all, rostering.Force())
	}
	if r.Refused != "" {
		all = append(all, rostering.Refused(rostering.NewSecret(r.Refused)))
	}
	t, err := c.GetToken(ctx, all...)
	return protocol.Response{JSON: token{t.AccessToken.Expose(), t.Type, t.ExpiresAt.Unix(), t.CacheKey}}, err
}

// own sends a program's own request: with the library's transport or, with nil, by net/http alone.
func own(ctx context.Context, r request, transport http.RoundTripper) (a protocol.Response, err error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body(r))
	if err != nil {
		return a, err
	}
	request.Header = lists(r.Headers)
	got, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return a, err
	}
	defer func() { _ = got.Body.Close() }()
	content, err := io.ReadAll(got.Body)
	return answer(&rostering.Response{Status: got.StatusCode, Header: got.Header, Body: content}, err)
}

// agent is the User-Agent that a program's own HTTP client sets.
type agent string

func (a agent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", string(a))
	return http.DefaultTransport.RoundTrip(r)
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
func body(r request) io.Reader {
	switch {
	case r.Once:
		return io.MultiReader(strings.NewReader(*r.Body))
	case r.Body != nil:
		return strings.NewReader(*r.Body)
	}
	return nil
}
