package json_test

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"automatic-rostering/plugin/core/json"
)

func TestRunes(t *testing.T) {
	for r := rune(-1); r <= utf8.MaxRune+1; r++ {
		want := utf8.AppendRune(nil, r)
		if got := json.AppendRune(nil, r); !bytes.Equal(got, want) {
			t.Fatalf("%#x becomes % x, not % x", r, got, want)
		}
		compareRune(t, want)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2_000_000 { // most begin like UTF-8
		text := make([]byte, 1+random.IntN(5))
		for i := range text {
			text[i] = byte(0x80 | random.IntN(0x50))
		}
		text[0] = byte(random.IntN(256))
		compareRune(t, text)
	}
}

func compareRune(t *testing.T, text []byte) {
	want, size := utf8.DecodeRune(text)
	if r, n := json.DecodeRune(text); r != want || n != size {
		t.Fatalf("% x is %#x of %d bytes, not %#x of %d", text, r, n, want, size)
	}
}
