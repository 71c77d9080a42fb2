package backoff_test

import (
	"math"
	"testing"

	"automatic-rostering/plugin/core/backoff"
)

// FuzzBackoff decodes value as the value of a var, and encodes and decodes a record that a
// call can make of the rest.
func FuzzBackoff(f *testing.F) {
	f.Add([]byte(nil), uint32(1_800_000_000), uint16(1), "{}", "5")
	f.Add([]byte("0123456789abcdef{}"), uint32(0), uint16(0), "", "")
	f.Add((&backoff.Record{Since: math.MinInt64, Failures: 1, Error: []byte("{}")}).Encode(), uint32(1_800_000_000), uint16(0), "", "")
	f.Add((&backoff.Record{Since: 1_800_000_001, Failures: 1}).Encode(), uint32(1_800_000_000), uint16(7), `{"code":"x"}`, "3601")
	f.Fuzz(func(t *testing.T, value []byte, now uint32, failures uint16, failure, header string) {
		found := backoff.Decode(value)
		if left := found.Left(int64(now)); left < 0 || left > 3600 {
			t.Errorf("Left = %d", left)
		}
		if found.Failures < 0 || found.Failures > backoff.MaxFailures {
			t.Errorf("Failures = %d", found.Failures)
		}
		before := backoff.Record{Since: int64(now), Failures: int(failures), Error: []byte("e")}
		wait := before.Next(false, int64(now)).Wait
		if seconds, ok := backoff.RetryAfter(header); ok {
			wait = seconds
		}
		if wait < 1 || wait > 3600 {
			t.Fatalf("a wait of %d s", wait)
		}
		want := backoff.Record{Since: int64(now), Wait: wait, Failures: int(failures) + 1, Error: []byte(failure)}
		got := backoff.Decode(want.Encode())
		if !equal(*got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if left := got.Left(int64(now)); left != wait && failure != "" {
			t.Errorf("Left = %d right after a wait of %d began", left, wait)
		}
	})
}
