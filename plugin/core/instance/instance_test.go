package instance_test

import (
	"encoding/binary"
	"reflect"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/instance"
)

const noon = 1_800_000_000

func TestVarNames(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range append(instance.All[:], instance.Summary) {
		if len(name) != 8 || seen[name] {
			t.Errorf("%q", name)
		}
		seen[name] = true
	}
}

func TestHashHasEveryByte(t *testing.T) {
	for text := ""; len(text) < 20; text += "a" {
		if instance.Hash(text+"a") == instance.Hash(text+"b") {
			t.Errorf("it ignores byte %d", len(text))
		}
	}
}

func ordinary() instance.State {
	return instance.State{Token: instance.Token{Hash: 1<<48 - 1, RequestedAt: noon - 1, ExpiresAt: noon + 3599, Margin: 60}, UseFrom: noon + 5}
}

// Every number of the state is between the first and the last of Words.
func TestEveryNumberIsKept(t *testing.T) {
	var s instance.State
	words := instance.Words(&s.Token.Hash, &s.StoreWarnedAt)
	for i := range words {
		words[i] = int64(i + 1)
	}
	var zeros func(v reflect.Value) int
	zeros = func(v reflect.Value) (n int) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				n += zeros(v.Field(i))
			}
		case reflect.Bool:
		default:
			if v.IsZero() {
				n++
			}
		}
		return n
	}
	if n := zeros(reflect.ValueOf(s)); n > 0 {
		t.Errorf("%d are not", n)
	}
	if got := instance.Decode(s.Encode()); *got != s {
		t.Errorf("got %+v, want %+v", *got, s)
	}
}

func TestDecodeInvalid(t *testing.T) {
	whole := ordinary()
	b := whole.Encode()
	for _, b := range [][]byte{nil, b[:16], b[8:], append(b, 0), make([]byte, len(b))} {
		if got := instance.Decode(b); *got != (instance.State{}) {
			t.Errorf("took %d bytes for %+v", len(b), *got)
		}
	}
}

// What a warm call reads agrees with the rules for the whole state.
func TestWarm(t *testing.T) {
	warm := func(s instance.State) instance.Warm {
		b := s.Encode()
		return instance.ReadWarm(binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]))
	}
	for _, tt := range []struct {
		name        string
		change      func(*instance.State)
		from, until int64
	}{
		{"a token", func(*instance.State) {}, noon - 61, noon + 3539},
		{"no token", func(s *instance.State) { s.Token = instance.Token{} }, 0, 0},
		{"a refused one", func(s *instance.State) { s.Refuse(s.Token.Hash) }, 0, 0},
		{"one of unknown expiry", func(s *instance.State) { s.Token = instance.Token{Hash: 1} }, 0, 0},
		{"one before it", func(s *instance.State) { s.Previous.Hash = 5 }, noon + 5, noon + 3539},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := ordinary()
			tt.change(&s)
			if got := warm(s); got != (instance.Warm{From: tt.from, Until: tt.until}) {
				t.Errorf("got %+v", got)
			}
		})
	}
	if got := instance.ReadWarm(1, noon); got != (instance.Warm{}) {
		t.Errorf("of something else: %+v", got)
	}
}

func TestUsable(t *testing.T) {
	s := ordinary()
	for now, want := range map[int64]bool{noon - 62: false, noon - 61: true, noon: true, noon + 3598: true, noon + 3599: false} {
		if got := s.Usable(&s.Token, now); got != want {
			t.Errorf("%d: %v", now-noon, got)
		}
	}
	if s.Usable(&instance.Token{ExpiresAt: noon + 1}, noon) || s.Usable(&instance.Token{Hash: 1}, noon) {
		t.Error("no token, or one of unknown expiry, is usable")
	}
}
