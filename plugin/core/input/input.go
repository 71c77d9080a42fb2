// Package input reads what a host passes to an export: one JSON object, or nothing.
package input

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/json"
)

// Export is an export that sends requests.
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
	GetToken:    {"get_token", fields{"force", "refused", "now"}},
	ListJobs:    {"list_jobs", fields{"now", "customer_id", "user_id"}},
	SendRequest: {"send_request", fields{"path", "method", "headers", "body", "customer_id", "user_id", "now"}},
}

// ExportNamed returns the export of that name.
func ExportNamed(name string) (Export, bool) {
	for i, e := range exports {
		if e.name == name {
			return Export(i), true
		}
	}
	return 0, false
}

// String returns the export's name.
func (e Export) String() string { return exports[e].name }

// Input is the input of a call.
type Input struct {
	Force   bool
	Refused string // the access token that the service refused
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
func Parse(b []byte, export Export, inSteps bool) (in Input, err *apierror.Error) {
	err = exports[export].fields.read(b, in.set)
	switch {
	case err != nil:
	case in.Force && in.Refused != "":
		err = apierror.Input("refused", "set force or refused, not both")
	case export == SendRequest:
		err = in.Request.check(inSteps)
	}
	return in, err
}

// Keep returns the members of a call's input that the call needs at its later steps, as a
// JSON object, or nil if there are none. raw must have passed Parse.
func Keep(raw json.Value) []byte {
	kept := make([]byte, 0, len(raw))
	raw.Each(func(name string, value json.Value) bool {
		if name == "now" || name == "refused" {
			return true
		}
		start := byte(',')
		if len(kept) == 0 {
			start = '{'
		}
		kept = append(append(append(kept, start, '"'), name...), '"', ':')
		kept = append(kept, value...)
		return true
	})
	if len(kept) == 0 {
		return nil
	}
	return append(kept, '}')
}

func (in *Input) set(name string, value json.Value) *apierror.Error {
	switch name {
	case "force":
		if value.Kind() != json.Bool {
			return apierror.Input("force", "force must be true or false")
		}
		in.Force = value.True()
		return nil
	case "refused":
		if in.Refused = value.Text(); !AccessToken(in.Refused) {
			return apierror.Input("refused", "refused must be the refused access token: visible ASCII of at most 32 KiB")
		}
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
		return apierror.Input("now", "now must be a number (Unix seconds)")
	}
	seconds, negative, _ := value.Integer(clock.Latest + 1)
	if negative {
		seconds = 0 // as unusable a clock as any before the release
	}
	if seconds > clock.Latest {
		return apierror.Input("now", "now is after the year 9999; pass Unix seconds, not milliseconds")
	}
	c.Now, c.HasNow = seconds, true
	return nil
}
