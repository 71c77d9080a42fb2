// Package clock judges readings of a clock that may be wrong: some hosts give a
// plugin a made-up one (wazero's default starts on 2022-01-01).
package clock

const (
	// Released is the earliest reading that can be true, in Unix seconds:
	// 2026-11-01, the month in which this version was released. A constant, not
	// the time of the build, so that the same source builds to the same bytes.
	Released = 1793491200

	// Latest is the last second of the year 9999. What lies beyond it is in
	// milliseconds, or noise.
	Latest = 253402300799

	// Tolerance is how far a clock may be set back, in seconds.
	Tolerance = 60
)

// Usable reports whether now can be trusted, where the cached token was asked for
// at askedAt (0 without one). Both are Unix seconds.
func Usable(now, askedAt int64) bool {
	return now >= Released && now <= Latest && now >= askedAt-Tolerance
}
