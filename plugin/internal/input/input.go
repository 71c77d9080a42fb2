// Package input reads what a host hands to an export: one JSON object, or nothing.
package input

import (
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/fault"
	"automatic-rostering/plugin/internal/object"
)

// Call is an export that makes requests.
type Call uint8

const (
	GetToken Call = iota
	ListJobs
	SendRequest
)

var calls = [...]struct {
	name   string
	fields fields
}{
	GetToken:    {"get_token", fields{"force", "now"}},
	ListJobs:    {"list_jobs", fields{"now", "customer_id", "user_id"}},
	SendRequest: {"send_request", fields{"path", "method", "headers", "body", "customer_id", "user_id", "now"}},
}

// CallNamed gives the call of that name.
func CallNamed(name string) (Call, bool) {
	for i, c := range calls {
		if c.name == name {
			return Call(i), true
		}
	}
	return 0, false
}

// String gives the call's name.
func (c Call) String() string { return calls[c].name }

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
func Parse(b []byte, call Call) (in Input, err *fault.Error) {
	if err = calls[call].fields.read(b, in.set); err == nil && call == SendRequest {
		err = in.Request.check()
	}
	return in, err
}

func (in *Input) set(name string, value object.Value) *fault.Error {
	switch name {
	case "force":
		if value.Kind() != object.Bool {
			return fault.Input("force", "force must be true or false")
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

func (c *Clock) set(value object.Value) *fault.Error {
	if value.Kind() != object.Number {
		return fault.Input("now", "now must be a number, in Unix seconds")
	}
	seconds, negative, _ := value.Integer(clock.Latest + 1)
	if negative {
		seconds = 0 // as unusable a clock as any before the release
	}
	if seconds > clock.Latest {
		return fault.Input("now", "now lies beyond the year 9999; it must be in Unix seconds, not milliseconds")
	}
	c.Now, c.HasNow = seconds, true
	return nil
}
