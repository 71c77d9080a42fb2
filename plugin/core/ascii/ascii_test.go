package ascii_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/ascii"
)

func TestVisibleIsEveryByteFromExclamationMarkToTilde(t *testing.T) {
	for c := range 256 {
		if got, want := ascii.Visible(byte(c)), '!' <= c && c <= '~'; got != want {
			t.Errorf("Visible(%#x) = %v, want %v", c, got, want)
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
	const limit = 3600
	for _, tt := range []struct {
		name, text string
		want       int64
		ok         bool
	}{
		{"zero", "0", 0, true},
		{"just below the limit", "3599", 3599, true},
		{"the limit", "3600", 3600, true},
		{"just above the limit", "3601", limit, true},
		{"leading zeros do not count", "000000000000000000000000000007", 7, true},
		{"more than 64 bits", "99999999999999999999999999999999", limit, true},
		{"the empty text", "", 0, false},
		{"a sign", "+1", 0, false},
		{"a minus", "-1", 0, false},
		{"a point", "1.0", 0, false},
		{"an exponent", "1e3", 0, false},
		{"a space before", " 1", 0, false},
		{"a space behind", "1 ", 0, false},
		{"a letter behind the limit", "99999x", 0, false},
		{"hexadecimal", "0x10", 0, false},
		{"the character before the digits", "/", 0, false},
		{"and on the other side", ":", 0, false},
		{"digits of another script", "٣", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := ascii.Digits(tt.text, limit)
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("Digits(%q) = %d, %v, want %d, %v", tt.text, got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestDigitsDoesNotOverflowBelowATenthOfTheLargestNumber(t *testing.T) {
	const limit = math.MaxInt64 / 10
	if got, ok := ascii.Digits("922337203685477580", limit); got != limit || !ok {
		t.Errorf("got %d, %v", got, ok)
	}
	if got, ok := ascii.Digits("922337203685477581", limit); got != limit || !ok {
		t.Errorf("one more: got %d, %v", got, ok)
	}
	if got, ok := ascii.Digits("9223372036854775809", limit); got != limit || !ok {
		t.Errorf("a digit more: got %d, %v", got, ok)
	}
}

func TestLower(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"capitals become small", "AZaz", "azaz"},
		{"neighbors of the letters are unchanged", "@[`{", "@[`{"},
		{"what is not ASCII stays", "É\u212a", "É\u212a"}, // the Kelvin sign is no k
		{"the empty text", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ascii.Lower(tt.text); got != tt.want {
				t.Errorf("Lower(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
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
	for _, tt := range []struct {
		name, text string
		at, count  int
		want       int
		ok         bool
	}{
		{"small letters", "xff", 1, 2, 0xff, true},
		{"capitals", "FF", 0, 2, 0xff, true},
		{"a mixture", "aF09", 0, 4, 0xaf09, true},
		{"not enough digits", "f", 0, 2, 0, false},
		{"after the lower-case letters", "0g", 0, 2, 0, false},
		{"on the other side", "0`", 0, 2, 0, false},
		{"before the capitals", "0@", 0, 2, 0, false},
		{"after the digits", "0:", 0, 2, 0, false},
		{"a sign", "-1", 0, 2, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := ascii.Hex([]byte(tt.text), tt.at, tt.count); ok != tt.ok || ok && got != tt.want {
				t.Errorf("got %#x, %v", got, ok)
			}
		})
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
