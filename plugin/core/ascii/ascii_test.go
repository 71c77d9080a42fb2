package ascii_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/ascii"
)

func TestVisible(t *testing.T) {
	for c := range 256 {
		got, all := ascii.Visible(byte(c)), ascii.AllVisible(string([]byte{byte(c)})+"1234567")
		if want := '!' <= c && c <= '~'; got != want || all != want {
			t.Errorf("Visible(%#x) = %v, AllVisible = %v, want %v", c, got, all, want)
		}
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		name, text                             string
		allVisible, phrase, spaced, hasControl bool
	}{
		{name: "the empty text is nothing of it", text: ""},
		{"only visible characters", "!az~", true, true, true, false},
		{"a space inside", "a b", false, true, true, false},
		{"a space before", " a", false, false, true, false},
		{"a space behind", "a ", false, false, true, false},
		{"only a space", " ", false, false, true, false},
		{"a tab", "a\tb", false, false, false, true},
		{"a newline behind", "a\n", false, false, false, true},
		{"NUL", "\x00", false, false, false, true},
		{"the last control character before the space", "a\x1f", false, false, false, true},
		{"DEL", "a\x7f", false, false, false, true},
		{"the first byte beyond ASCII", "a\x80", false, false, false, false},
		{"a letter beyond ASCII", "é", false, false, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ascii.AllVisible(tt.text); got != tt.allVisible {
				t.Errorf("AllVisible = %v", got)
			}
			if got := ascii.Phrase(tt.text); got != tt.phrase {
				t.Errorf("Phrase = %v", got)
			}
			if got := ascii.Spaced(tt.text); got != tt.spaced {
				t.Errorf("Spaced = %v", got)
			}
			if got := ascii.HasControl(tt.text); got != tt.hasControl {
				t.Errorf("HasControl = %v", got)
			}
		})
	}
}

func TestDigits(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "3599": 3599, "3600": 3600, "3601": 3600, "000000000000000000000000000007": 7, "99999999999999999999999999999999": 3600} {
		if got, ok := ascii.Digits(text, 3600); !ok || got != want {
			t.Errorf("%s: %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "+1", "-1", "1.0", "1e3", " 1", "1 ", "99999x", "0x10", "/", ":", "٣"} {
		if got, ok := ascii.Digits(text, 3600); ok {
			t.Errorf("%q is read as %d", text, got)
		}
	}
	const most = math.MaxInt64 / 10 // without an overflow
	for _, text := range []string{"922337203685477580", "922337203685477581", "9223372036854775809"} {
		if got, ok := ascii.Digits(text, most); got != most || !ok {
			t.Errorf("%s: %d, %v", text, got, ok)
		}
	}
}

func TestLower(t *testing.T) {
	for text, want := range map[string]string{"AZaz": "azaz", "@[`{": "@[`{", "É\u212a": "É\u212a", "": ""} { // the Kelvin sign is no k
		if got := ascii.Lower(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestTokenAndFieldValue(t *testing.T) {
	for c := range 256 {
		s := string([]byte{'a', byte(c)})
		// RFC 9110 §5.6.2: visible, and no delimiter.
		token := ascii.Visible(byte(c)) && !strings.ContainsRune("\"(),/:;<=>?@[\\]{}", rune(c))
		if got := ascii.Token(s); got != token {
			t.Errorf("Token(%q) = %v", s, got)
		}
		value := ascii.Visible(byte(c)) || c == ' ' || c == '\t'
		if got := ascii.FieldValue(s); got != value {
			t.Errorf("FieldValue(%q) = %v", s, got)
		}
	}
	if ascii.Token("") || !ascii.FieldValue("") {
		t.Error("a name must not be empty; a value may be")
	}
}

func TestHex(t *testing.T) {
	for text, want := range map[string]int{"ff": 0xff, "FF": 0xff, "aF09": 0xaf09} {
		if got, ok := ascii.Hex([]byte("x"+text), 1, len(text)); !ok || got != want {
			t.Errorf("%s: %#x, %v", text, got, ok)
		}
	}
	for _, text := range []string{"f", "0g", "0`", "0@", "0:", "-1"} {
		if got, ok := ascii.Hex([]byte(text), 0, 2); ok {
			t.Errorf("%s: %#x", text, got)
		}
	}
}

func TestInt(t *testing.T) {
	for _, n := range []int64{0, 7, 10, 100, 253402300799, -1, -120, 1<<63 - 1} {
		if got := ascii.Int(n); got != strconv.FormatInt(n, 10) {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestCut(t *testing.T) {
	for _, s := range []string{"", "a", "::", "a::b::c", ":", "a:", "::a", "a::"} {
		before, after, found := ascii.Cut(s, "::")
		if b, a, f := strings.Cut(s, "::"); before != b || after != a || found != f {
			t.Errorf("%q: %q, %q, %v", s, before, after, found)
		}
	}
}

func TestWord(t *testing.T) {
	for word, want := range map[string]int{"a": 0, "bc": 1, "d": 2, "": -1, "b": -1, "bc d": -1, "e": -1} {
		if got := ascii.Word("a bc d", word); got != want {
			t.Errorf("%q: %d", word, got)
		}
	}
	if ascii.Word("", "") != -1 || ascii.Word("", "a") != -1 {
		t.Error("nothing has a word")
	}
}
