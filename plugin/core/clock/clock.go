// Package clock has the rules about the time: which readings can be true, and what replaces a
// clock that has none. Times are Unix seconds.
package clock

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// Override is the input field now, which replaces the host's clock.
type Override struct {
	Now    int64
	HasNow bool
}

// Set reads the field.
func (in *Override) Set(value json.Value) *apierror.Error {
	if value.Kind() != json.Number {
		return apierror.Input("now", " must be a number (Unix seconds)")
	}
	seconds, negative, _ := value.Integer(Latest + 1)
	if negative {
		seconds = 0 // as unusable a clock as any before the release
	}
	if seconds > Latest {
		return apierror.Input("now", " is after the year 9999; pass Unix seconds, not milliseconds")
	}
	in.Now, in.HasNow = seconds, true
	return nil
}

const (
	// Released is the earliest reading that can be true: 2026-11-01, the month in which this version was released. A constant, not
	// the time of the build, so that the same source builds to the same bytes.
	Released = 1793491200

	// Latest is the last second of the year 9999. What is later is in milliseconds, or
	// noise.
	Latest = 253402300799

	// Tolerance is how far a clock may be set back while a token stays usable, in seconds.
	Tolerance = 60
)

// Usable reports whether now can be trusted: some hosts return a fake time by
// default (wazero's starts at 2022-01-01).
func Usable(now int64) bool { return now >= Released && now <= Latest }

// Now returns the time that an input has, or that of the host's clock, or 0 if it is not usable.
func Now(h interface{ Now() int64 }, in *Override) int64 {
	now := in.Now
	if !in.HasNow {
		now = h.Now()
	}
	if !Usable(now) {
		return 0
	}
	return now
}

// Unusable returns the error for a call that needs a clock.
func Unusable(in *Override) *apierror.Error {
	message := "the clock shows a time before the release of this version; set it"
	if !in.HasNow {
		message += ", or pass now (Unix seconds)"
	}
	return &apierror.Error{Code: apierror.ClockUnusable, Message: message}
}
