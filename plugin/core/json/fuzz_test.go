package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"automatic-rostering.example/rostering/plugin/core/json"
)

// FuzzObject compares Object with encoding/json.
func FuzzObject(f *testing.F) {
	for _, text := range []string{"", " ", "{}", " {\t} \r\n", "[]", "[{}]", "null", "1", `"{}"`, "{", "}", "{}}", "{}{}", "{},", "{} x", "{}\x00", "\ufeff{}",
		`{"s":"x","n":-1.5e+3,"b":true,"f":false,"z":null,"l":[1],"o":{}}`, `{"a":1,"a":"x"}`, `{"":1}`, `{"\u0061\n\"":"\ud83d\ude00\ud83d"}`,
		"\n{ \"a\" : 1 ,\t\"b\"\r:\n[ 1 , 2 ] }\n", `{"a":{"b":1},"c":[{"b":2}],"d":"{\"b\":3}"}`, `{"a":"}\"]","b":"\\"}`, `{"}\"":{"]":"["}}`,
		`{"a":`, `{"a":1,`, `{a":1}`, `{"a"x1}`, `{"a":1;"b":2}`, `{"a":0,"b":-0.5,"c":"\u0080"}`, `{"a":"\ud83d\`,
		`{"a"}`, `{"a":}`, `{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`, `{a:1}`, `{'a':1}`, `{1:1}`, `{"a":1;}`, `{"a":1}/**/`, `{"a":01}`, `{"a":+1}`, `{"a":.5}`,
		`{"a":1.}`, `{"a":1e}`, `{"a":-}`, `{"a":1-}`, `{"a":tru}`, `{"a":trux}`, `{"a":nul}`, `{"a":nulll}`, `{"a":[1,]}`, `{"a":[1}`, `{"a":{]}`,
		`{"a":"\x"}`, `{"a":"\u12"}`, `{"a":"\u12g4"}`, `{"a":"}`, `{"a":"\"}`, "{\"a\":\"\n\"}", "{\"a\":\"\x00\"}", "{\"\x7f\":\"é\"}", "{\"a\":\"\xff\"}",
		`{"a":"\"\\\/\b\f\n\r\t","b":"\u0041\u00e9\u20AC\u0000","c":"\ud800\udc00\uDBFF\uDFFF","d":"a\ud83d","e":"\ud83dx","f":"\ud83d\n"}`,
		`{"a":"\ud83d\u0041","b":"\ude00","c":"\u0041\ude00","d":"\ud83d\ud83d\ude00","e":"\\u0041","f":"é😀"}`,
		strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64), `{"a":[` + strings.Repeat("[", 62) + strings.Repeat("]", 62) + `]}`,
		`{"a":[` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `]}`, `{"a":[` + strings.Repeat("[],", 100) + `[]]}`,
		`{"a":"` + strings.Repeat(`[\"{`, 100) + `"}`, `{"a":` + strings.Repeat("[", 1e6)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		type member struct{ name, value, text string }
		var got []member
		valid := json.Object(b, func(name string, value json.Value) bool {
			got = append(got, member{name, string(value), value.Text()})
			return true
		})
		want := stdjson.Valid(b) && bytes.TrimLeft(b, " \t\r\n")[0] == '{' && depth(b) <= 64
		if valid != want {
			t.Fatalf("valid = %v, want %v", valid, want)
		}
		if !valid || !utf8.Valid(b) {
			return // encoding/json replaces invalid UTF-8
		}
		d := stdjson.NewDecoder(bytes.NewReader(b))
		d.Token() // the opening brace
		for i := range got {
			name, err := d.Token()
			var value stdjson.RawMessage
			if err != nil || d.Decode(&value) != nil {
				t.Fatalf("encoding/json sees no member %d: %v", i, err)
			}
			var text string
			if value[0] == '"' {
				stdjson.Unmarshal(value, &text)
			}
			if want := (member{name.(string), string(value), text}); got[i] != want {
				t.Errorf("member %d is %q, want %q", i, got[i], want)
			}
		}
		if d.More() {
			t.Errorf("encoding/json sees more than %d members", len(got))
		}
	})
}

// FuzzValue reads any text as a value, as a var may have it that was changed: what comes is anything, but no
// call panics, or reads more than the text.
func FuzzValue(f *testing.F) {
	for _, text := range []string{``, `"`, `"\`, `"\"`, `"\\"`, `{"a":"`, `{"a":"\`, `{"a`, `{"a"`, `{"a":`, `{"a":}`, `{"a":]`, `{:`, `[`, `["`, `["\`, `[,`, `[1"a"]`,
		`{"a":[{"b":"c"}}}`, `-`, `1e`, `\u`, `"\ud83d\`, "\"\x00", "{\"a\":\"\xff"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, size := json.Value(b), 0
		members := func(_ string, value json.Value) bool {
			size += len(value)
			value.Text()
			return true
		}
		if v.Each(members); size > len(b) {
			t.Errorf("%d of %d bytes", size, len(b))
		}
		v.Get("a").Each(members)
		v.Get("a").Texts()
		v.Texts()
		v.Text()
		v.True()
		v.Natural(1000)
	})
}

var (
	surrogatePair = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	surrogate     = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// FuzzWellFormed compares WellFormed with a search for what remains without the pairs.
func FuzzWellFormed(f *testing.F) {
	for _, text := range []string{`{"a":"b"}`, `"é😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00\ud83d\ude00"`, `"\ud83d\ud83d\ude00"`, `"\\ud83d"`, `"\\\ud83d"`, `"\ude00\ud83d"`,
		`{"\udfff":1}`, "\"\ufffd\\ufffd\"", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\xbd\"", `\`, ``} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !stdjson.Valid(b) {
			json.WellFormed(b) // must not panic
			return
		}
		rest := bytes.ReplaceAll(b, []byte(`\\`), []byte(" "))
		rest = surrogatePair.ReplaceAll(rest, []byte(" "))
		if got, want := json.WellFormed(b), utf8.Valid(b) && !surrogate.Match(rest); got != want {
			t.Errorf("%q: got %v, want %v", b, got, want)
		}
	})
}

// depth is the deepest nesting in a valid JSON text.
func depth(b []byte) (deepest int) {
	d := stdjson.NewDecoder(bytes.NewReader(b))
	level := 0
	for {
		token, err := d.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case stdjson.Delim('{'), stdjson.Delim('['):
			level++
			deepest = max(deepest, level)
		case stdjson.Delim('}'), stdjson.Delim(']'):
			level--
		}
	}
}

// FuzzInteger compares Integer with math/big.
func FuzzInteger(f *testing.F) {
	for _, text := range []string{"0", "-0", "3600", "3600.000", "3600.5", "36e2", "36E+02", "0.036E+5", "0.000000000036e14", "3.60005e3", "36000e-1", "36005e-1", "36e-3",
		"-3600", "-0.5", "86400", "86401", "86401.5", "864001", "184467440737095516160", "1e400", "1e-400", "1e184467440737095516160", "1e-184467440737095516160",
		"0e999999999999999999", "0.0e-999999999999999999", "1e99999999999999999999"} {
		f.Add(text, uint32(86400))
	}
	f.Fuzz(func(t *testing.T, text string, bound uint32) {
		if !stdjson.Valid([]byte(text)) || strings.Trim(text, "-+.eE0123456789") != "" {
			t.Skip("not a number")
		}
		limit := int64(bound)
		n, negative, whole := json.Value(text).Integer(limit)
		if n < 0 || n > limit {
			t.Fatalf("got %d", n)
		}
		_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
		if len(strings.TrimLeft(exponent, "+-0")) > 3 || len(text) > 1000 {
			return // too much for big.Rat
		}
		x, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatal("math/big cannot read it")
		}
		x.Abs(x)
		cut := new(big.Int).Quo(x.Num(), x.Denom())
		if cut.Cmp(big.NewInt(limit)) > 0 {
			cut.SetInt64(limit)
		}
		if n != cut.Int64() || whole != x.IsInt() || negative != strings.HasPrefix(text, "-") {
			t.Errorf("%s is %d, %v, %v; math/big: %v, %v", text, n, negative, whole, cut, x.IsInt())
		}
	})
}

// FuzzAppendString has encoding/json read what AppendString wrote.
func FuzzAppendString(f *testing.F) {
	for _, text := range []string{"", "a\x80", "12345678\x80\xff", "\x00\x1f \x7f\"\\/é😀\u2028", "\xed\xa0\xbd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b := json.AppendString(nil, []byte(text))
		var got string
		if err := stdjson.Unmarshal(b, &got); err != nil || got != string([]rune(text)) || json.Value(b).Text() != got {
			t.Errorf("%q becomes %s, which is read as %q, %v", text, b, got, err)
		}
	})
}
