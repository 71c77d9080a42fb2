package backoff_test

import (
	"math"
	"testing"

	"automatic-rostering/plugin/core/backoff"
)

func TestWaitsDouble(t *testing.T) {
	for refusal, waits := range map[bool][]int64{
		false: {1, 2, 4, 8, 16, 30, 30, 30, 30, 30},
		true:  {0, 1, 2, 4, 8, 16, 30, 30, 30, 30},
	} {
		r, now := &backoff.Record{}, int64(1_800_000_000)
		for i, want := range waits {
			r = r.Next(refusal, now)
			r.Error = []byte("e")
			if r.Wait != want || r.Failures != i+1 || r.Since != now {
				t.Errorf("refusal %v, failure %d: %+v, want a wait of %d", refusal, i+1, r, want)
			}
			now += r.Wait + 60
		}
		r.Failures = math.MaxInt32
		if r = r.Next(refusal, now); r.Wait != 30 || r.Failures != backoff.MaxFailures {
			t.Errorf("after very many: %+v", r)
		}
	}
}

func TestTheCountStartsOver(t *testing.T) {
	const now = 1_800_000_000
	for _, tt := range []struct {
		name    string
		before  backoff.Record
		refusal bool
		want    int
	}{
		{"a failed request long after", backoff.Record{Since: now - 1e6, Wait: 30, Failures: 6, Error: []byte("e")}, false, 7},
		{"a refused token a minute after the wait", backoff.Record{Since: now - 76, Wait: 16, Failures: 6, Refusal: true, Error: []byte("e")}, true, 7},
		{"a second later", backoff.Record{Since: now - 77, Wait: 16, Failures: 6, Refusal: true, Error: []byte("e")}, true, 1},
		{"a failed request after a refused token", backoff.Record{Since: now, Failures: 6, Refusal: true, Error: []byte("e")}, false, 1},
		{"a refused token after a failed request", backoff.Record{Since: now, Failures: 6, Error: []byte("e")}, true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.before.Next(tt.refusal, now); got.Failures != tt.want || got.Refusal != tt.refusal {
				t.Errorf("%+v, want %d failures", got, tt.want)
			}
		})
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
		{"a refused token", backoff.Record{Since: 1_800_000_000, Wait: 3600, Failures: 1, Refusal: true, Warned: 1_799_999_999, Error: []byte(`"code":"x"`)}},
		{"failures without an error", backoff.Record{Failures: 3}},
		{"nothing", backoff.Record{}},
		{"as many failures as are counted", backoff.Record{Since: 1_800_000_060, Wait: 60, Failures: backoff.MaxFailures, Error: []byte(`"`)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := backoff.Decode(tt.want.Encode()); !equal(*got, tt.want) {
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
			if got := backoff.Decode(tt.value); !equal(*got, backoff.Record{}) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func equal(a, b backoff.Record) bool {
	return a.Since == b.Since && a.Wait == b.Wait && a.Failures == b.Failures && a.Refusal == b.Refusal && a.Warned == b.Warned && string(a.Error) == string(b.Error)
}
