// Package service makes the requests to the service and explains its responses. All that is
// known about the service is its request for jobs (see docs/contract.md).
package service

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/message"
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
	return host.Result{Text: r.JSON()}
}

// NewRequest returns the request of a call, without the token. The error names all that is missing or
// invalid in the config.
func NewRequest(get config.Lookup, in *input.Input) (r *message.Request, all *apierror.Error) {
	base, all := config.BaseURL(get)
	r = &message.Request{Method: in.Own.Method, URL: base + in.Own.Path, Body: in.Own.Body}
	for _, id := range [...]struct {
		header, key string
		in          *input.ID
	}{{"CUSTOMER_ID", "customer_id", &in.Customer}, {"USER_ID", "user_id", &in.User}} {
		value, err := config.ID(get, id.key, id.in)
		all = apierror.Join(all, err)
		if value != "" {
			r.Headers = append(r.Headers, message.Header{Name: id.header, Value: value})
		}
	}
	r.Headers = append(r.Headers, in.Own.Headers...)
	return r, all
}
