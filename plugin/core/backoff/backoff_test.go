package backoff_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"automatic-rostering.example/rostering/plugin/core/backoff"
)

func TestRetryAfter(t *testing.T) {
	const now = 1_800_000_000
	for _, tt := range []struct {
		header, date string
		want         int64
	}{
		{"5", "", 5}, {"0", "", 1}, {"1", "", 1}, {"3600", "", 3600}, {"3601", "", 3600}, {"99999999999999999999999", "", 3600},
		{"", "", 0}, {"-1", "", 0}, {"1.5", "", 0}, {"+1", "", 0}, {"1, 2", "", 0}, {"5s", "", 0},
		{"Fri, 15 Jan 2027 08:00:07 GMT", "", 7},
		{"Fri, 15 Jan 2027 08:00:07 GMT", "Fri, 15 Jan 2027 07:59:57 GMT", 10},
		{"Fri, 15 Jan 2027 08:00:07 GMT", "yesterday", 7},
		{"Fri, 15 Jan 2027 07:00:00 GMT", "", 1}, {"Fri, 15 Jan 2027 18:00:00 GMT", "", 3600}, {"Wed, 01 Jan 0000 00:00:00 GMT", "", 1},
		{"Fri, 15 Jam 2027 08:00:07 GMT", "", 0}, {"Fri, 15 Jan 2027 08:00:07 UTC", "", 0}, {"Fri, 15 Jan 2027 8:00:07 GMT", "", 0},
		{"Fri, x5 Jan 2027 08:00:07 GMT", "", 0}, {"Friday, 15-Jan-27 08:00:07 GMT", "", 0},
	} {
		if got := backoff.RetryAfter(tt.header, tt.date, now); got != tt.want {
			t.Errorf("%q at %q: %d, not %d", tt.header, tt.date, got, tt.want)
		}
	}
	if got := backoff.RetryAfter("Fri, 15 Jan 2027 08:00:07 GMT", "", 0); got != 0 {
		t.Errorf("without a time: %d", got)
	}
}

// Every day of four centuries, and some of its times.
func TestRetryAfterCountsDays(t *testing.T) {
	for at := time.Date(1999, 12, 31, 23, 59, 58, 0, time.UTC); at.Year() < 2401; at = at.Add(24*time.Hour + 61*time.Minute) {
		header, date := at.Add(2*time.Second).Format(http.TimeFormat), at.Format(http.TimeFormat)
		if got := backoff.RetryAfter(header, date, 0); got != 2 {
			t.Fatalf("%s at %s: %d", header, date, got)
		}
		if got := backoff.RetryAfter(header, "", at.Unix()); got != 2 {
			t.Fatalf("%s at %d: %d", header, at.Unix(), got)
		}
	}
}

func equal(a, b backoff.Record) bool {
	return a.Since == b.Since && a.Wait == b.Wait && a.Failures == b.Failures && a.Told == b.Told && a.Secret == b.Secret && a.Warned == b.Warned && string(a.Error) == string(b.Error)
}

// FuzzBackoff decodes value as the value of a var, and encodes and decodes a record that a
// call can make of the rest.
func FuzzBackoff(f *testing.F) {
	f.Add([]byte(nil), uint32(1_800_000_000), uint16(1), "{}", "5")
	f.Add([]byte("0123456789abcdef{}"), uint32(0), uint16(0), "", "")
	f.Add((&backoff.Record{Since: math.MinInt64, Failures: 1, Error: []byte("{}")}).Encode(), uint32(1_800_000_000), uint16(0), "", "")
	f.Add((&backoff.Record{Since: 1_800_000_001, Failures: 1}).Encode(), uint32(1_800_000_000), uint16(7), `{"code":"x"}`, "3601")
	whole := (&backoff.Record{Since: 1_800_000_001, Wait: 3600, Failures: 1, Told: true, Warned: 1_799_999_999}).Encode()
	f.Add(whole, uint32(0), uint16(math.MaxUint16), "", "")
	f.Add(whole[:len(whole)-1], uint32(0), uint16(0), "", "")
	f.Fuzz(func(t *testing.T, value []byte, now uint32, failures uint16, failure, header string) {
		found := backoff.Decode(value)
		if len(value) < len(whole) && !equal(*found, backoff.Record{}) {
			t.Errorf("took %d bytes for %+v", len(value), *found)
		}
		if again := backoff.Decode(found.Encode()); !equal(*again, *found) {
			t.Errorf("%+v becomes %+v", *found, *again)
		}
		if left := found.Left(int64(now)); left < 0 || left > 3600 {
			t.Errorf("Left = %d", left)
		}
		if found.Failures < 0 || found.Failures > backoff.MaxFailures {
			t.Errorf("Failures = %d", found.Failures)
		}
		before := backoff.Record{Since: int64(now), Failures: int(failures), Error: []byte("e")}
		wait := before.Next(int64(now)).Wait
		if seconds := backoff.RetryAfter(header, header, int64(now)); seconds != 0 {
			wait = seconds
		}
		if wait < 1 || wait > 3600 {
			t.Fatalf("a wait of %d s", wait)
		}
		want := backoff.Record{Since: int64(now), Wait: wait, Failures: int(failures) + 1, Told: failures%2 == 1, Secret: int64(failures), Error: []byte(failure)}
		got := backoff.Decode(want.Encode())
		if !equal(*got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if left := got.Left(int64(now)); left != wait && failure != "" {
			t.Errorf("Left = %d right after a wait of %d began", left, wait)
		}
	})
}
