package state_test

import (
	"testing"

	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/state"
)

func TestNamesOfVarsHaveEightBytesAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range append(state.All[:], state.Summary) {
		if len(name) != 8 || seen[name] {
			t.Errorf("%q", name)
		}
		seen[name] = true
	}
}

func TestTokenOutlivesItsVar(t *testing.T) {
	for _, tt := range []struct {
		name string
		want state.Token
	}{
		{"the zero token", state.Token{}},
		{"an ordinary token", state.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540, Generation: 1}},
		{"a rejected one", state.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540, Rejected: true}},
		{"an obtained one", state.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540, Obtained: true}},
		{"a dropped one", state.Token{Generation: 1<<32 - 1, Dropped: true}},
		{"a request is prepared", state.Token{Prepared: state.ForRequest}},
		{"a step is prepared, for the input's ids", state.Token{Prepared: state.LastPrepared, ForInput: true}},
		{"the step of get_token is prepared", state.Token{StepPrepared: true}},
		{"the largest of everything", state.Token{AskedAt: clock.Latest, Lifetime: state.MaxLifetime,
			RenewAfter: state.MaxLifetime, Generation: 1<<32 - 1, Owner: 1<<32 - 1, Epoch: 1<<30 - 1, Rejected: true, Dropped: true,
			Obtained: true, ForInput: true, StepPrepared: true, Prepared: state.LastPrepared}},
		{"the shortest life", state.Token{AskedAt: clock.Released, Lifetime: 1, RenewAfter: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := state.Decode(tt.want.Encode())
			if !ok || got != tt.want {
				t.Errorf("got %+v, %v, want %+v", got, ok, tt.want)
			}
			glanced, ok := state.FromWords(tt.want.Words())
			if got.Generation, got.Owner = 0, 0; !ok || glanced != got {
				t.Errorf("a glance sees %+v, %v", glanced, ok)
			}
		})
	}
}

func TestFromWordsRefuses(t *testing.T) {
	good := state.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540}
	first, second := good.Words()
	for _, tt := range []struct {
		name          string
		first, second uint64
	}{
		{"zeros", 0, 0},
		{"ones", 1<<64 - 1, 1<<64 - 1},
		{"another marker", first ^ 1, second},
		{"an unknown kind of prepared request", first | 7<<9, second},
		{"more than a day", first, (state.MaxLifetime + 1) << 17},
		{"a renewal after the expiry", first, 3600<<17 | 3601},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := state.FromWords(tt.first, tt.second); ok {
				t.Errorf("took it for %+v", got)
			}
		})
	}
}

func TestDecodeRefusesAnotherLength(t *testing.T) {
	b := (&state.Token{}).Encode()
	for _, b := range [][]byte{nil, b[:16], append(b, 0)} {
		if got, ok := state.Decode(b); ok {
			t.Errorf("took %d bytes for %+v", len(b), got)
		}
	}
}

func TestNoteAndReplacedOutliveTheirVars(t *testing.T) {
	note := state.Note{ID: 1<<32 - 1, Until: clock.Latest, LookedAt: clock.Released}
	if got := state.DecodeNote(note.Encode()); got != note {
		t.Errorf("got %+v", got)
	}
	if got := state.DecodeNote([]byte("short")); got != (state.Note{}) {
		t.Errorf("of something else: %+v", got)
	}
	old := state.Replaced{Generation: 1<<32 - 1, Text: "the-token"}
	if got := state.DecodeReplaced(old.Encode()); got != old {
		t.Errorf("got %+v", got)
	}
	if got := state.DecodeReplaced(nil); got != (state.Replaced{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestExpiry(t *testing.T) {
	known := state.Token{AskedAt: 1_800_000_000, Lifetime: 3600}
	if !known.ExpiryKnown() || known.ExpiresAt() != 1_800_003_600 {
		t.Errorf("with a clock: %v, %d", known.ExpiryKnown(), known.ExpiresAt())
	}
	unknown := state.Token{Lifetime: 3600}
	if unknown.ExpiryKnown() || unknown.ExpiresAt() != 0 {
		t.Errorf("without a clock: %v, %d", unknown.ExpiryKnown(), unknown.ExpiresAt())
	}
}
