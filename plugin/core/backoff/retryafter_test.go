package backoff_test

import (
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
		{"5", "", 5}, {"0", "", 0}, {"1", "", 1}, {"3600", "", 3600}, {"3601", "", 3600}, {"99999999999999999999999", "", 3600},
		{"", "", 0}, {"-1", "", 0}, {"1.5", "", 0}, {"+1", "", 0}, {"1, 2", "", 0}, {"5s", "", 0},
		{"Fri, 15 Jan 2027 08:00:07 GMT", "", 7},
		{"Fri, 15 Jan 2027 08:00:07 GMT", "Fri, 15 Jan 2027 07:59:57 GMT", 10},
		{"Fri, 15 Jan 2027 08:00:07 GMT", "yesterday", 7},
		{"Fri, 15 Jan 2027 07:00:00 GMT", "", 0}, {"Fri, 15 Jan 2027 18:00:00 GMT", "", 3600}, {"Wed, 01 Jan 0000 00:00:00 GMT", "", 0},
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
