package input

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/json"
)

// Clock is the input field now, which replaces the host's clock, in Unix seconds.
type Clock struct {
	Now    int64
	HasNow bool
}

func (c *Clock) set(value json.Value) *apierror.Error {
	if value.Kind() != json.Number {
		return apierror.Input("now", "now must be a number (Unix seconds)")
	}
	seconds, negative, _ := value.Integer(Latest + 1)
	if negative {
		seconds = 0 // as unusable a clock as any before the release
	}
	if seconds > Latest {
		return apierror.Input("now", "now is after the year 9999; pass Unix seconds, not milliseconds")
	}
	c.Now, c.HasNow = seconds, true
	return nil
}

const (
	// Released is the earliest reading that can be true, in Unix seconds:
	// 2026-11-01, the month in which this version was released. A constant, not
	// the time of the build, so that the same source builds to the same bytes.
	Released = 1793491200

	// Latest is the last second of the year 9999. What is later is in milliseconds, or
	// noise.
	Latest = 253402300799
)

// Usable reports whether now, in Unix seconds, can be trusted: some hosts return a fake time by
// default (wazero's starts at 2022-01-01).
func Usable(now int64) bool { return now >= Released && now <= Latest }
