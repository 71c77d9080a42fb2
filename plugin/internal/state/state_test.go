package state_test

import (
	"encoding/binary"
	"testing"

	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/state"
)

func TestNamesOfVarsHaveEightBytesAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range []string{state.Summary, state.TokenObject, state.JobsRequest, state.JobsIDs, state.LogLine, state.Retry} {
		if len(name) != 8 || seen[name] {
			t.Errorf("%q", name)
		}
		seen[name] = true
	}
}

func TestTokenOutlivesTwoWords(t *testing.T) {
	for _, tt := range []struct {
		name string
		want state.Token
	}{
		{"the zero token", state.Token{}},
		{"an ordinary token", state.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540, Generation: 1}},
		{"a rejected one", state.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540, Rejected: true}},
		{"a dropped one", state.Token{Generation: 1<<16 - 1, Dropped: true}},
		{"prepared for the config's ids", state.Token{Prepared: state.ForConfig}},
		{"prepared for the input's ids", state.Token{Prepared: state.ForInput}},
		{"the largest of everything", state.Token{AskedAt: clock.Latest, Lifetime: state.MaxLifetime,
			RenewAfter: state.MaxLifetime, Generation: 1<<16 - 1, Rejected: true, Dropped: true, Prepared: state.ForInput}},
		{"the shortest life", state.Token{AskedAt: clock.Released, Lifetime: 1, RenewAfter: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := state.FromWords(tt.want.Words())
			if !ok || got != tt.want {
				t.Errorf("got %+v, %v, want %+v", got, ok, tt.want)
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
		{"a fourth kind of prepared request", first | 3<<5, second},
		{"more than a day", first, (state.MaxLifetime + 1) << 32},
		{"a renewal after the expiry", first, 3600<<32 | 3601},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := state.FromWords(tt.first, tt.second); ok {
				t.Errorf("took it for %+v", got)
			}
		})
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

func TestEncodeIsTheTwoWords(t *testing.T) {
	token := state.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540, Generation: 7, Prepared: state.ForConfig}
	b := token.Encode()
	if len(b) != 16 {
		t.Fatalf("%d bytes", len(b))
	}
	got, ok := state.FromWords(binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]))
	if !ok || got != token {
		t.Errorf("got %+v, %v", got, ok)
	}
}
