// Package input reads what a host hands to an export: one JSON object, or nothing.
package input

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/json"
)

// Call is an export that makes requests.
type Export uint8

const (
	GetToken Export = iota
	ListJobs
	SendRequest
)

var exports = [...]struct {
	name   string
	fields fields
}{
	GetToken:    {"get_token", fields{"force", "now"}},
	ListJobs:    {"list_jobs", fields{"now", "customer_id", "user_id"}},
	SendRequest: {"send_request", fields{"path", "method", "headers", "body", "customer_id", "user_id", "now"}},
}

// ExportNamed gives the call of that name.
func ExportNamed(name string) (Export, bool) {
	for i, c := range exports {
		if c.name == name {
			return Export(i), true
		}
	}
	return 0, false
}

// String gives the call's name.
func (e Export) String() string { return exports[e].name }

// Input is the input of a call.
type Input struct {
	Force bool
	Clock

	Customer, User ID

	Request Request // of send_request
}

// Clock is the input field now, which replaces the host's clock, in Unix seconds.
type Clock struct {
	Now    int64
	HasNow bool
}

// Parse reads b as the input of a call.
func Parse(b []byte, export Export) (in Input, err *apierror.Error) {
	if err = exports[export].fields.read(b, in.set); err == nil && export == SendRequest {
		err = in.Request.check()
	}
	return in, err
}

func (in *Input) set(name string, value json.Value) *apierror.Error {
	switch name {
	case "force":
		if value.Kind() != json.Bool {
			return apierror.Input("force", "force must be true or false")
		}
		in.Force = value.True()
		return nil
	case "now":
		return in.Clock.set(value)
	case "customer_id":
		return in.Customer.set(name, value)
	case "user_id":
		return in.User.set(name, value)
	}
	return in.Request.set(name, value)
}

func (c *Clock) set(value json.Value) *apierror.Error {
	if value.Kind() != json.Number {
		return apierror.Input("now", "now must be a number, in Unix seconds")
	}
	seconds, negative, _ := value.Integer(clock.Latest + 1)
	if negative {
		seconds = 0 // as unusable a clock as any before the release
	}
	if seconds > clock.Latest {
		return apierror.Input("now", "now lies beyond the year 9999; it must be in Unix seconds, not milliseconds")
	}
	c.Now, c.HasNow = seconds, true
	return nil
}
