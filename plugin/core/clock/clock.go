// Package clock judges readings of a clock that may be wrong: some hosts return a fake
// time by default (wazero's starts at 2022-01-01).
package clock

const (
	// Released is the earliest reading that can be true, in Unix seconds:
	// 2026-11-01, the month in which this version was released. A constant, not
	// the time of the build, so that the same source builds to the same bytes.
	Released = 1793491200

	// Latest is the last second of the year 9999. What is later is in milliseconds, or
	// noise.
	Latest = 253402300799

	// Tolerance is how far a clock may be set back, in seconds.
	Tolerance = 60
)

// Usable reports whether now, in Unix seconds, can be trusted.
func Usable(now int64) bool { return now >= Released && now <= Latest }
