package vars_test

import (
	"testing"

	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/vars"
)

func TestNamesOfVarsHaveEightBytesAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range append(vars.All[:], vars.Summary) {
		if len(name) != 8 || seen[name] {
			t.Errorf("%q", name)
		}
		seen[name] = true
	}
}

func TestTokenRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		name string
		want vars.Token
	}{
		{"the zero token", vars.Token{}},
		{"an ordinary token", vars.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540, Hash: 1<<48 - 1}},
		{"a rejected one", vars.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540, Rejected: true}},
		{"a replacement", vars.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540, Replacement: true}},
		{"a dropped one", vars.Token{Epoch: 1<<30 - 1, Dropped: true}},
		{"a request is prepared", vars.Token{Prepared: vars.ForRequest}},
		{"a step is prepared, for the input's ids", vars.Token{Prepared: vars.LastPrepared, ForInput: true}},
		{"the step of get_token is prepared", vars.Token{StepPrepared: true}},
		{"the largest of everything", vars.Token{AskedAt: clock.Latest, Lifetime: vars.MaxLifetime,
			RenewAfter: vars.MaxLifetime, Hash: 1<<48 - 1, Owner: 1<<32 - 1, Epoch: 1<<30 - 1, Rejected: true, Dropped: true,
			Replacement: true, ForInput: true, StepPrepared: true, Prepared: vars.LastPrepared}},
		{"the shortest life", vars.Token{AskedAt: clock.Released, Lifetime: 1, RenewAfter: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got, summary vars.Token
			if ok := got.Decode(tt.want.Encode()); !ok || got != tt.want {
				t.Errorf("got %+v, %v, want %+v", got, ok, tt.want)
			}
			ok := summary.SetWords(tt.want.Words())
			if got.Hash, got.Owner = 0, 0; !ok || summary != got {
				t.Errorf("a warm call sees %+v, %v", summary, ok)
			}
		})
	}
}

func TestSetWordsRejects(t *testing.T) {
	good := vars.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540}
	first, second := good.Words()
	for _, tt := range []struct {
		name          string
		first, second uint64
	}{
		{"zeros", 0, 0},
		{"ones", 1<<64 - 1, 1<<64 - 1},
		{"another marker", first ^ 1, second},
		{"an unknown kind of prepared request", first | 7<<9, second},
		{"more than a day", first, (vars.MaxLifetime + 1) << 17},
		{"a renewal after the expiry", first, 3600<<17 | 3601},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got vars.Token
			if got.SetWords(tt.first, tt.second) {
				t.Errorf("took it for %+v", got)
			}
		})
	}
}

func TestDecodeRejectsAnotherLength(t *testing.T) {
	b := (&vars.Token{}).Encode()
	for _, b := range [][]byte{nil, b[:16], append(b, 0)} {
		var got vars.Token
		if got.Decode(b) {
			t.Errorf("took %d bytes for %+v", len(b), got)
		}
	}
}

func TestCallsRoundTrip(t *testing.T) {
	calls := vars.Calls{Pending: 1<<32 - 1, Until: clock.Latest, LookedAt: clock.Released, SteppedAt: clock.Latest, Refused: [4]int64{1, 2, 3, 1<<48 - 1}}
	if got := vars.DecodeCalls(calls.Encode()); *got != calls {
		t.Errorf("got %+v", got)
	}
	if got := vars.DecodeCalls([]byte("short")); *got != (vars.Calls{}) {
		t.Errorf("of something else: %+v", got)
	}
}

func TestTheLastFourRefusedTokensAreKnown(t *testing.T) {
	var c vars.Calls
	for _, step := range []struct {
		refuse, forgive int64
		want            [4]int64
	}{
		{refuse: 1, want: [4]int64{1}},
		{refuse: 2, want: [4]int64{2, 1}},
		{refuse: 1, want: [4]int64{1, 2}},
		{refuse: 3, want: [4]int64{3, 1, 2}},
		{refuse: 4, want: [4]int64{4, 3, 1, 2}},
		{refuse: 5, want: [4]int64{5, 4, 3, 1}},
		{forgive: 4, want: [4]int64{5, 3, 1}},
		{forgive: 9, want: [4]int64{5, 3, 1}},
	} {
		if step.refuse != 0 {
			c.Refuse(step.refuse)
		} else {
			c.Forgive(step.forgive)
		}
		if c.Refused != step.want {
			t.Errorf("after %+v: %v", step, c.Refused)
		}
	}
	if !c.Refuses(5) || !c.Refuses(1) || c.Refuses(4) || c.Refuses(0) {
		t.Errorf("of %v", c.Refused)
	}
}

// A renewal that is due before the token was requested, because a clock was set back, is due
// at once.
func TestARenewalIsNeverDueBeforeTheRequest(t *testing.T) {
	early := vars.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: -5, Epoch: 7}
	var got vars.Token
	if ok := got.Decode(early.Encode()); !ok || got.RenewAfter != 0 || got.Epoch != 7 {
		t.Errorf("%+v, %v", got, ok)
	}
}

func TestExpiry(t *testing.T) {
	known := vars.Token{AskedAt: 1_800_000_000, Lifetime: 3600}
	if !known.ExpiryKnown() || known.ExpiresAt() != 1_800_003_600 {
		t.Errorf("with a clock: %v, %d", known.ExpiryKnown(), known.ExpiresAt())
	}
	unknown := vars.Token{Lifetime: 3600}
	if unknown.ExpiryKnown() || unknown.ExpiresAt() != 0 {
		t.Errorf("without a clock: %v, %d", unknown.ExpiryKnown(), unknown.ExpiresAt())
	}
}
