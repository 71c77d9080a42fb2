package input_test

import (
	"testing"
	"time"

	"automatic-rostering/plugin/core/input"
)

func TestUsable(t *testing.T) {
	for now, want := range map[int64]bool{0: false, -1: false, input.Released - 1: false, input.Released: true, input.Latest: true, input.Latest + 1: false} {
		if got := input.Usable(now); got != want {
			t.Errorf("Usable(%d) = %v", now, got)
		}
	}
}

func TestDatesOfConstants(t *testing.T) {
	if got := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix(); got != input.Latest {
		t.Errorf("Latest is %d, want %d", int64(input.Latest), got)
	}
	released := time.Unix(input.Released, 0).UTC()
	if month := time.Date(released.Year(), released.Month(), 1, 0, 0, 0, 0, time.UTC); !released.Equal(month) {
		t.Errorf("Released is %v, want the first second of a month", released)
	}
}
