package input_test

import (
	"testing"
	"time"

	"automatic-rostering/plugin/core/input"
)

func TestUsable(t *testing.T) {
	for _, tt := range []struct {
		name string
		now  int64
		want bool
	}{
		{"no clock", 0, false},
		{"before 1970", -1, false},
		{"the second before the release", input.Released - 1, false},
		{"the second of the release", input.Released, true},
		{"the default clock of wazero", 1640995200, false},
		{"the last second of the year 9999", input.Latest, true},
		{"the second after it", input.Latest + 1, false},
		{"milliseconds", input.Released * 1000, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := input.Usable(tt.now); got != tt.want {
				t.Errorf("Usable(%d) = %v, want %v", tt.now, got, tt.want)
			}
		})
	}
}

func TestConstantsAreTheDatesTheyClaim(t *testing.T) {
	if got := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix(); got != input.Latest {
		t.Errorf("Latest is %d, want %d", int64(input.Latest), got)
	}
	released := time.Unix(input.Released, 0).UTC()
	if month := time.Date(released.Year(), released.Month(), 1, 0, 0, 0, 0, time.UTC); !released.Equal(month) {
		t.Errorf("Released is %v, want the first second of a month", released)
	}
}
