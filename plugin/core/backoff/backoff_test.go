package backoff_test

import (
	"math"
	"testing"

	"automatic-rostering/plugin/core/backoff"
)

func TestWaitDoublesUpToAMinute(t *testing.T) {
	for failures, want := range []int64{1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 6: 32, 7: 60, 8: 60, 9: 60} {
		if failures == 0 {
			continue
		}
		if got := backoff.Wait(failures); got != want {
			t.Errorf("Wait(%d) = %d, want %d", failures, got, want)
		}
	}
	if got := backoff.Wait(math.MaxInt32); got != 60 {
		t.Errorf("Wait of very many = %d, want 60", got)
	}
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name, header string
		want         int64
		ok           bool
	}{
		{"seconds", "5", 5, true},
		{"zero counts as one", "0", 1, true},
		{"one", "1", 1, true},
		{"an hour", "3600", 3600, true},
		{"more than an hour counts as an hour", "3601", 3600, true},
		{"a number of any length", "99999999999999999999999", 3600, true},
		{"no header", "", 0, false},
		{"a date is ignored", "Fri, 31 Dec 2027 23:59:59 GMT", 0, false},
		{"a negative number is ignored", "-1", 0, false},
		{"a fraction is ignored", "1.5", 0, false},
		{"a sign is ignored", "+1", 0, false},
		{"a list is ignored", "1, 2", 0, false},
		{"a unit is ignored", "5s", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := backoff.RetryAfter(tt.header)
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("RetryAfter(%q) = %d, %v, want %d, %v", tt.header, got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestLeft(t *testing.T) {
	const since, wait = 1_800_000_000, 60
	for _, tt := range []struct {
		name      string
		now, want int64
	}{
		{"when it begins", since, wait},
		{"a second before its end", since + wait - 1, 1},
		{"when it is over", since + wait, 0},
		{"after", since + wait + 1, 0},
		{"a second back", since - 1, wait},
		{"an hour back", since - 3600, wait},
		{"at the beginning of time", 0, wait},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := backoff.Record{Since: since, Wait: wait, Error: []byte("e")}
			if got := r.Left(tt.now); got != tt.want {
				t.Errorf("Left = %d, want %d", got, tt.want)
			}
			if got := r.Left(tt.now + wait); got != 0 {
				t.Errorf("after the whole wait %d seconds are left", got)
			}
		})
	}
}

func TestWithoutAnErrorThereIsNoWait(t *testing.T) {
	r := backoff.Record{Since: 1_800_000_000, Wait: 60, Failures: 3}
	if got := r.Left(1_800_000_000); got != 0 {
		t.Errorf("Left = %d", got)
	}
}

func TestRecordRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		name string
		want backoff.Record
	}{
		{"a failure", backoff.Record{Since: 1_800_000_000, Wait: 1, Failures: 1, Error: []byte(`"code":"x"`)}},
		{"of a call that others wait for", backoff.Record{Since: 1_800_000_000, Wait: 3600, Failures: 1, Call: 1<<32 - 1, Error: []byte(`"code":"x"`)}},
		{"failures without an error", backoff.Record{Failures: 3}},
		{"nothing", backoff.Record{}},
		{"as many failures as are counted", backoff.Record{Since: 1_800_000_060, Wait: 60, Failures: backoff.MaxFailures, Error: []byte(`"`)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := backoff.Decode(tt.want.Encode()); !equal(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestDecodeOfSomethingElseIsNoWait(t *testing.T) {
	whole := (&backoff.Record{Since: 1_800_000_001, Failures: 1}).Encode()
	for _, tt := range []struct {
		name  string
		value []byte
	}{
		{"a missing var", nil},
		{"an empty var", []byte{}},
		{"a byte too short", whole[:len(whole)-1]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := backoff.Decode(tt.value); !equal(got, backoff.Record{}) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func equal(a, b backoff.Record) bool {
	return a.Since == b.Since && a.Wait == b.Wait && a.Failures == b.Failures && a.Call == b.Call && string(a.Error) == string(b.Error)
}
