// Package input reads what a host hands to an export: one JSON object, or nothing.
package input

import (
	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/fault"
	"automatic-rostering/plugin/internal/object"
)

// Input is the input of a call.
type Input struct {
	Force bool
	// Now replaces the host's clock if HasNow, in Unix seconds.
	Now    int64
	HasNow bool

	Customer, User ID
}

// Field is a bit for each input field; a call says which it takes.
type Field uint8

const (
	Force Field = 1 << iota
	Now
	CustomerID
	UserID
)

var names = [...]string{"force", "now", "customer_id", "user_id"}

// The fields of each call.
const (
	ForGetToken = Force | Now
	ForListJobs = Now | CustomerID | UserID
)

// Parse reads b, which may hold the allowed fields alone, each at most once.
func Parse(b []byte, allowed Field) (Input, *fault.Error) {
	var in Input
	if object.Blank(b) {
		return in, nil
	}
	var seen Field
	var err *fault.Error
	valid := object.Each(b, func(name string, value object.Value) bool {
		field := lookup(name)
		switch {
		case field&allowed == 0:
			err = fault.Input(printable(name), "this call has no such input field; its fields are "+list(allowed))
		case field&seen != 0:
			err = fault.Input(name, "the input field is given twice; give it once")
		default:
			err = in.set(field, value)
		}
		seen |= field
		return err == nil
	})
	if !valid {
		err = fault.Input("", "the input must be one JSON object, or empty")
	}
	return in, err
}

func (in *Input) set(field Field, value object.Value) *fault.Error {
	switch field {
	case Force:
		if value.Kind() != object.Bool {
			return fault.Input("force", "force must be true or false")
		}
		in.Force = value.True()
	case Now:
		return in.setNow(value)
	case CustomerID:
		return in.Customer.set("customer_id", value)
	case UserID:
		return in.User.set("user_id", value)
	}
	return nil
}

func (in *Input) setNow(value object.Value) *fault.Error {
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
	in.Now, in.HasNow = seconds, true
	return nil
}

func lookup(name string) Field {
	for i, n := range names {
		if n == name {
			return 1 << i
		}
	}
	return 0
}

func list(fields Field) (text string) {
	for i, name := range names {
		if fields&(1<<i) == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += name
	}
	return text
}

// printable keeps a made-up field name from filling an error or a terminal.
func printable(name string) string {
	const longest = 64
	if len(name) > longest || !ascii.Spaced(name) {
		return ""
	}
	return name
}
