package clock_test

import (
	"testing"
	"time"

	"automatic-rostering/plugin/core/clock"
)

func TestUsable(t *testing.T) {
	const asked = clock.Released + 1000
	for _, tt := range []struct {
		name         string
		now, askedAt int64
		want         bool
	}{
		{"no clock", 0, 0, false},
		{"before 1970", -1, 0, false},
		{"the second before the release", clock.Released - 1, 0, false},
		{"the second of the release", clock.Released, 0, true},
		{"the default clock of wazero", 1640995200, 0, false},
		{"the last second of the year 9999", clock.Latest, 0, true},
		{"the second after it", clock.Latest + 1, 0, false},
		{"milliseconds", clock.Released * 1000, 0, false},
		{"the second in which the token was asked for", asked, asked, true},
		{"set back by 60 s", asked - 60, asked, true},
		{"set back by 61 s", asked - 61, asked, false},
		{"set back, but to before the release", clock.Released - 1, clock.Released, false},
		{"long after the token was asked for", asked + 1e6, asked, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := clock.Usable(tt.now, tt.askedAt); got != tt.want {
				t.Errorf("Usable(%d, %d) = %v, want %v", tt.now, tt.askedAt, got, tt.want)
			}
		})
	}
}

func TestConstantsAreTheDatesTheyClaim(t *testing.T) {
	if got := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix(); got != clock.Latest {
		t.Errorf("Latest is %d, want %d", int64(clock.Latest), got)
	}
	released := time.Unix(clock.Released, 0).UTC()
	if month := time.Date(released.Year(), released.Month(), 1, 0, 0, 0, 0, time.UTC); !released.Equal(month) {
		t.Errorf("Released is %v, want the first second of a month", released)
	}
}
