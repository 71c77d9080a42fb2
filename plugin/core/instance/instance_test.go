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
	first, second := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if got := instance.ReadWarm(first+1, second); got != (instance.Warm{}) || instance.ReadWarm(first, second) == got {
		t.Errorf("a warm call uses a state of another format: %+v", got)
	}
}
