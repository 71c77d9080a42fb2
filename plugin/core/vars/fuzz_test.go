package vars_test

import (
	"testing"

	"automatic-rostering/plugin/core/vars"
)

// FuzzState decodes any two words: what is accepted as a token encodes to the same two words,
// and is within the limits.
func FuzzState(f *testing.F) {
	token := vars.Token{AskedAt: 1_800_000_000, Lifetime: 3600, RenewAfter: 3540, Prepared: vars.ForStep, ForInput: true}
	first, second := token.Words()
	f.Add(first, second)
	f.Add(uint64(0x16), uint64(0))
	f.Add(uint64(1<<64-1), uint64(1<<64-1))
	f.Fuzz(func(t *testing.T, first, second uint64) {
		var got vars.Token
		if !got.SetWords(first, second) {
			return
		}
		if got.AskedAt < 0 || got.Lifetime < 0 || got.Lifetime > 86400 || got.RenewAfter < 0 || got.RenewAfter > got.Lifetime {
			t.Errorf("took %+v", got)
		}
		const unused = 0xfff << 12
		if a, b := got.Words(); a != first&^unused || b != second {
			t.Errorf("%#x, %#x became %#x, %#x", first, second, a, b)
		}
		var again vars.Token
		if ok := again.SetWords(got.Words()); !ok || again != got {
			t.Errorf("%+v became %+v, %v", got, again, ok)
		}
	})
}
