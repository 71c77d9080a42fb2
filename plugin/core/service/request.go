// Package service makes the requests to the service and explains its responses. All that is
// known about the service is its request for jobs (see docs/contract.md).
package service

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/message"
)

// Request implements the export request: what a call sends, without the token.
func Request(h host.Host, rawInput []byte) host.Result {
	in, err := input.Parse(rawInput, input.Request)
	if err != nil {
		return host.Fail(err)
	}
	r, err := NewRequest(h.Config, in)
	if err != nil {
		return host.Fail(err)
	}
	return host.Result{Text: r.AppendJSON(nil)}
}

// NewRequest returns the request of a call, without the token. Without a method it is the one
// for the jobs.
func NewRequest(get config.Lookup, in *input.Input) (r *message.Request, err *apierror.Error) {
	base, err := config.BaseURL(get, "base_url")
	if err != nil {
		return nil, err
	}
	r = &message.Request{Method: in.Own.Method, URL: base + in.Own.Path, Body: in.Own.Body}
	if r.Method == "" {
		r.Method, r.URL = "GET", base+"/jobs"
	}
	customer, err := config.ID(get, "customer_id", &in.Customer)
	if err != nil {
		return nil, err
	}
	if customer != "" {
		r.Headers = append(r.Headers, message.Header{Name: "CUSTOMER_ID", Value: customer})
	}
	user, err := config.ID(get, "user_id", &in.User)
	if err != nil {
		return nil, err
	}
	if user != "" {
		r.Headers = append(r.Headers, message.Header{Name: "USER_ID", Value: user})
	}
	r.Headers = append(r.Headers, in.Own.Headers...)
	return r, nil
}
