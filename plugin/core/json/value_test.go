package json_test

import (
	"slices"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/json"
)

func TestKind(t *testing.T) {
	for text, want := range map[string]json.Kind{
		`null`: json.Null, `true`: json.Bool, `false`: json.Bool, `0`: json.Number, `-1`: json.Number,
		`""`: json.String, `"null"`: json.String, `[]`: json.List,
	} {
		if got := json.Value(text).Kind(); got != want {
			t.Errorf("Kind of %s = %v, want %v", text, got, want)
		}
	}
}

func TestIsObject(t *testing.T) {
	for text, want := range map[string]bool{`{}`: true, `{"a":1}`: true, `[]`: false, `"{}"`: false, `null`: false, ``: false} {
		if got := json.Value(text).IsObject(); got != want {
			t.Errorf("IsObject of %s = %v", text, got)
		}
	}
	if got := json.Value(nil).Kind(); got != json.Null {
		t.Errorf("Kind of nothing = %v", got)
	}
}

func TestTextAllocatesOnce(t *testing.T) {
	for name, value := range map[string]json.Value{
		"plain":   json.Value(`"` + strings.Repeat("a", 1e5) + `"`),
		"escapes": json.Value(`"` + strings.Repeat(`\u00e9\n\ud83d\ude00`, 1e4) + `"`),
	} {
		if got := testing.AllocsPerRun(10, func() { value.Text() }); got != 1 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}

func TestWellFormed(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"nothing", ``, true},
		{"ASCII", `{"a":"b"}`, true},
		{"UTF-8", `"é😀"`, true},
		{"the character that replaces others", "\"\ufffd\\ufffd\"", true},
		{"a surrogate pair", `"\ud83d\ude00"`, true},
		{"two of them", `"\uD83D\uDE00\ud83d\ude00"`, true},
		{"what looks like half a pair behind an escaped backslash", `"\\ud83d"`, true},
		{"half a pair", `"\ud83d"`, false},
		{"half a pair behind an escaped backslash", `"\\\ud83d"`, false},
		{"the second half", `"\ude00"`, false},
		{"two first halves", `"\ud83d\ud83d\ude00"`, false},
		{"half a pair in a name", `{"\udfff":1}`, false},
		{"a byte that is not UTF-8", "\"\xff\"", false},
		{"half a character", "\"\xc3\"", false},
		{"half a pair as UTF-8", "\"\xed\xa0\xbd\"", false},
		{"a backslash at the end", `\`, true}, // and no JSON
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := json.WellFormed([]byte(tt.text)); got != tt.want {
				t.Errorf("WellFormed(%s) = %v", tt.text, got)
			}
		})
	}
}

func TestTrue(t *testing.T) {
	for text, want := range map[string]bool{`true`: true, `false`: false} {
		if got := json.Value(text).True(); got != want {
			t.Errorf("True of %s = %v", text, got)
		}
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no characters", `""`, ""},
		{"letters", `"abc"`, "abc"},
		{"every short escape", `"\"\\\/\b\f\n\r\tx"`, "\"\\/\b\f\n\r\tx"},
		{"a letter by its number", `"\u0041\u00e9\u20AC"`, "Aé€"},
		{"NUL by its number", `"\u0000"`, "\x00"},
		{"a surrogate pair", `"\ud83d\ude00"`, "😀"},
		{"a surrogate pair in capitals", `"\uD83D\uDE00"`, "😀"},
		{"the first and the last surrogate pair", `"\ud800\udc00\udbff\udfff"`, "\U00010000\U0010ffff"},
		{"half a pair at the end", `"a\ud83d"`, "a\ufffd"},
		{"half a pair before a letter", `"\ud83dx"`, "\ufffdx"},
		{"half a pair before another escape", `"\ud83d\n"`, "\ufffd\n"},
		{"half a pair before a letter by its number", `"\ud83d\u0041"`, "\ufffdA"},
		{"a lone low surrogate", `"\ude00"`, "\ufffd"},
		{"the second half behind a letter by its number", `"\u0041\ude00"`, "A\ufffd"},
		{"two first halves", `"\ud83d\ud83d\ude00"`, "\ufffd😀"},
		{"an escaped backslash before a u", `"\\u0041"`, `\u0041`},
		{"characters beyond ASCII as they are", `"é😀"`, "é😀"},
		{"a number is no text", `12`, ""},
		{"null is no text", `null`, ""},
		{"a list is no text", `["a"]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := json.Value(tt.text).Text(); got != tt.want {
				t.Errorf("Text of %s = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestUnescapeWithoutAnEscape(t *testing.T) {
	for _, text := range []string{`\`, `\x41`, `\u`, `\u12`, `\u12g4`, `\U0041`, "\\\n"} {
		if r, size := json.Unescape([]byte(text)); r != '\\' || size != 1 {
			t.Errorf("Unescape(%q) = %q, %d", text, r, size)
		}
	}
}

func TestInteger(t *testing.T) {
	const limit = 86400
	for _, tt := range []struct {
		name, text      string
		want            int64
		negative, whole bool
	}{
		{"zero", "0", 0, false, true},
		{"an integer", "3600", 3600, false, true},
		{"with zeros behind the point", "3600.000", 3600, false, true},
		{"with a fraction", "3600.5", 3600, false, false},
		{"with a tiny fraction", "3600.0000000000000000000000000001", 3600, false, false},
		{"an exponent", "36e2", 3600, false, true},
		{"an exponent with a sign, in capitals", "36E+02", 3600, false, true},
		{"an exponent of two digits", "0.000000000036e14", 3600, false, true},
		{"an exponent that moves the point", "3.6e3", 3600, false, true},
		{"an exponent that leaves a fraction", "3.60005e3", 3600, false, false},
		{"a negative exponent", "36000e-1", 3600, false, true},
		{"a negative exponent that leaves a fraction", "36005e-1", 3600, false, false},
		{"a negative exponent beyond the digits", "36e-3", 0, false, false},
		{"zeros before the point", "0.0036e6", 3600, false, true},
		{"negative", "-3600", 3600, true, true},
		{"negative zero", "-0", 0, true, true},
		{"negative with a fraction", "-0.5", 0, true, false},
		{"the limit", "86400", limit, false, true},
		{"above the limit", "86401", limit, false, true},
		{"above the limit with a fraction", "86401.5", limit, false, false},
		{"more than 64 bits", "184467440737095516160", limit, false, true},
		{"more than a float", "1e400", limit, false, true},
		{"less than a float", "1e-400", 0, false, false},
		{"an exponent of more than 64 bits", "1e184467440737095516160", limit, false, true},
		{"a negative one", "1e-184467440737095516160", 0, false, false},
		{"zero with a large exponent", "0e999999999999999999", 0, false, true},
		{"zero with a point and a large exponent", "0.0e-999999999999999999", 0, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, negative, whole := json.Value(tt.text).Integer(limit)
			if got != tt.want || negative != tt.negative || whole != tt.whole {
				t.Errorf("got %d, %v, %v, want %d, %v, %v", got, negative, whole, tt.want, tt.negative, tt.whole)
			}
		})
	}
}

func TestTexts(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
		ok         bool
	}{
		{"a text", `"a\n"`, []string{"a\n"}, true},
		{"a list", `[ "a" , "b,]" ]`, []string{"a", "b,]"}, true},
		{"an empty list", `[ ]`, nil, true},
		{"a number", `1`, nil, false},
		{"an object", `{"a":"b"}`, nil, false},
		{"a list with a number", `["a",1]`, nil, false},
		{"a list with a list", `[["a"]]`, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := json.Value(tt.text).Texts()
			if ok != tt.ok || !slices.Equal(got, tt.want) {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}
