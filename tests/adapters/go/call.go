package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"automatic-rostering.example/rostering"
)

type httpRequest struct {
	Method, Path, URL string
	Headers, Query    map[string]string
	JSON              json.RawMessage
	Body              []byte
	Once              bool
}

// readConfig reads a config as programs do: from variables, or as a [rostering.Config].
func readConfig(r request) (config rostering.Config, err error) {
	if r.Variables != nil {
		for _, variable := range os.Environ() {
			if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "ROSTERING_") {
				_ = os.Unsetenv(name)
			}
		}
		for name, value := range r.Variables {
			if err := os.Setenv(name, value); err != nil {
				return config, err
			}
		}
		return rostering.ConfigFromEnv()
	}
	for key, value := range r.Config {
		name := strings.ReplaceAll(key, "_", "")
		field := reflect.ValueOf(&config).Elem().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
		switch {
		case !field.IsValid():
			return config, fmt.Errorf("a Config has no %s", key)
		case field.Kind() == reflect.Bool:
			field.SetBool(value == "true")
		case field.Kind() == reflect.String:
			field.SetString(value)
		default: // whole seconds; zero is the default to the library, and less than zero none
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return config, err
			}
			if n == 0 {
				n = -1
			}
			field.SetInt(n * int64(time.Second))
		}
	}
	return config, nil
}

func (c *client) call(ctx context.Context, r request) (response, error) {
	view := c.view(r)
	var options []rostering.CallOption
	if r.Timeout != nil {
		options = append(options, rostering.WithCallTimeout(timeout(r.Timeout)))
	}
	switch r.Op {
	case "list_jobs":
		return answer(view.ListJobs(ctx, options...))
	case "send_request":
		request, err := r.Request.ofLibrary()
		if err != nil {
			return nil, err
		}
		return answer(view.SendRequest(ctx, request, options...))
	case "get_token":
		return getToken(ctx, view, r, options)
	case "set_token":
		return response{}, view.SetToken(ctx, rostering.Token{
			AccessToken: rostering.Secret(r.Token.AccessToken), Type: r.Token.TokenType,
			ExpiresAt: time.Unix(r.Token.ExpiresAt, 0), CacheKey: r.Token.CacheKey,
		})
	case "clear_token":
		return response{}, view.ClearToken(ctx)
	case "own":
		return own(ctx, view, r)
	case "close":
		if r.Timeout != nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, timeout(r.Timeout))
			defer cancel()
		}
		return response{}, view.Shutdown(ctx)
	}
	return nil, fmt.Errorf("no operation %s", r.Op)
}

func (c *client) view(r request) *rostering.Client {
	view := c.Client
	var id *string
	switch {
	case r.CustomerID == nil:
	case json.Unmarshal(r.CustomerID, &id) == nil && id != nil:
		view = view.ForCustomer(*id)
	default:
		view = view.ForNoCustomer()
	}
	id = nil
	switch {
	case r.UserID == nil:
	case json.Unmarshal(r.UserID, &id) == nil && id != nil:
		view = view.ForUser(*id)
	default:
		view = view.ForNoUser()
	}
	return view
}

func answer(r *rostering.Response, err error) (response, error) {
	if err != nil {
		return nil, err
	}
	return response{"status": r.Status, "headers": headers(r.Header), "body": r.Body}, nil
}

func getToken(ctx context.Context, view *rostering.Client, r request, options []rostering.CallOption) (response, error) {
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
	t, err := view.GetToken(ctx, all...)
	if err != nil {
		return nil, err
	}
	return response{"token": token{string(t.AccessToken), t.Type, t.ExpiresAt.Unix(), t.CacheKey}}, nil
}

// content is the request's body, or nil, and a JSON body's type.
func (r httpRequest) content() (body io.Reader, contentType string) {
	switch {
	case r.JSON != nil:
		return bytes.NewReader(r.JSON), "application/json"
	case r.Once:
		return io.MultiReader(bytes.NewReader(r.Body)), ""
	case r.Body != nil:
		return bytes.NewReader(r.Body), ""
	}
	return nil, ""
}

func (r httpRequest) header() http.Header {
	h := http.Header{}
	for name, value := range r.Headers {
		h[name] = []string{value}
	}
	return h
}

func (r httpRequest) ofLibrary() (request rostering.Request, err error) {
	if r.JSON != nil {
		return request, fmt.Errorf("a Request has no JSON")
	}
	request = rostering.Request{Method: r.Method, Path: r.Path, Header: r.header()}
	request.Body, _ = r.content()
	if r.Query != nil {
		request.Query = url.Values{}
		for name, value := range r.Query {
			request.Query.Set(name, value)
		}
	}
	return request, nil
}

// own sends a program's own request.
func own(ctx context.Context, view *rostering.Client, r request) (response, error) {
	transport, err := rostering.NewTransport(view, nil)
	if err != nil {
		return nil, err
	}
	if r.Timeout != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout(r.Timeout))
		defer cancel()
	}
	body, _ := r.Request.content()
	request, err := http.NewRequestWithContext(ctx, r.Request.Method, r.Request.URL, body)
	if err != nil {
		return nil, err
	}
	request.Header = r.Request.header()
	got, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = got.Body.Close() }()
	content, err := io.ReadAll(got.Body)
	return response{"status": got.StatusCode, "headers": headers(got.Header), "body": content}, err
}
