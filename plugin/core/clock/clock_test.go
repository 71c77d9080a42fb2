package clock_test

import (
	"strconv"
	"testing"
	"time"

	"automatic-rostering.example/rostering/plugin/core/clock"
)

func TestUsable(t *testing.T) {
	for now, want := range map[int64]bool{0: false, -1: false, clock.Released - 1: false, clock.Released: true, clock.Latest: true, clock.Latest + 1: false} {
		if got := clock.Usable(now); got != want {
			t.Errorf("Usable(%d) = %v", now, got)
		}
		if err := new(clock.Override).Set(strconv.AppendInt(nil, now, 10)); (err != nil) != (now > clock.Latest) {
			t.Errorf("now: %d: %v", now, err)
		}
	}
}

func TestDatesOfConstants(t *testing.T) {
	if got := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix(); got != clock.Latest {
		t.Errorf("Latest is %d, want %d", int64(clock.Latest), got)
	}
	released := time.Unix(clock.Released, 0).UTC()
	if month := time.Date(released.Year(), released.Month(), 1, 0, 0, 0, 0, time.UTC); !released.Equal(month) {
		t.Errorf("Released is %v, want the first second of a month", released)
	}
}
