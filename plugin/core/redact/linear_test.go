package redact_test

import (
	"math/bits"
	"runtime"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/redact"
)

// mostSteps bounds the comparisons that a search may take.
func mostSteps(text string, secrets []string) (steps int) {
	for _, secret := range secrets {
		steps += 4*len(secret) + len(encodings)*len(text)*(3+bits.Len(uint(len(secret))))
	}
	return steps
}

// fibonacci returns the text whose prefixes are most often their own suffixes.
func fibonacci(a, b string, size int) string {
	before, word := b, a
	for len(word) < size {
		before, word = word, word+before
	}
	return word[:size]
}

// selfSimilar are secrets that are hard to search for, and texts that almost contain them.
func selfSimilar(size int) map[string]struct{ text, secret string } {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size] }
	hex := func(s string) string {
		return strings.NewReplacer("a", "%61", "b", "%62", "6", "%36").Replace(s[:size/3])
	}
	long := fibonacci("a", "b", size)
	return map[string]struct{ text, secret string }{
		"one byte":                       {fill("a"), fill("a")[1:] + "b"},
		"one byte, another at the end":   {fill("a")[1:] + "b", fill("a")},
		"one byte, short":                {fill(strings.Repeat("a", 999) + "b"), strings.Repeat("a", 1000)},
		"one byte, found everywhere":     {fill("a"), strings.Repeat("a", 1000)},
		"two bytes":                      {fill("ab"), fill("ab")[1:] + "b"},
		"Fibonacci":                      {long, long[:size/2] + "c"},
		"Fibonacci, percent-encoded":     {hex(long), long[:size/4]},
		"Fibonacci, of a digit":          {hex(fibonacci("a", "6", size)), fibonacci("6", "a", size/4)},
		"Fibonacci, backwards":           {hex(reverse(long)), reverse(long)[:size/4]},
		"Fibonacci, digits of escapes":   {hex(reverse(long)), "1" + reverse(long)[:size/4]},
		"one byte, percent-encoded":      {fill("%61"), "1" + strings.Repeat("a", size/4)},
		"one byte, JSON-escaped":         {fill(`\u0061`), "0061" + strings.Repeat("a", size/8)},
		"backslashes":                    {fill(`\`), strings.Repeat(`\`, size/2-1) + "n"},
		"backslashes, with one to spare": {fill(`\`)[1:] + "n", strings.Repeat(`\`, size/4) + "\n"},
		"surrogate pairs":                {fill(`\ud83d\ude00`), strings.Repeat("😀", size/20) + "x"},
		"halves of surrogate pairs":      {fill(`\ud83d`), strings.Repeat("\ufffd", size/20) + "x"},
		"spaces":                         {fill("+"), strings.Repeat(" ", size/3) + "+"},
	}
}

func reverse(s string) string {
	b := []byte(s)
	for i := range len(b) / 2 {
		b[i], b[len(b)-1-i] = b[len(b)-1-i], b[i]
	}
	return string(b)
}

func TestStepsGrowLinearly(t *testing.T) {
	const size = 6_000
	big := selfSimilar(4 * size)
	for name, tt := range selfSimilar(size) {
		t.Run(name, func(t *testing.T) {
			for _, partial := range []bool{false, true} {
				_, _, steps := redact.Hidden([]byte(tt.text), []string{tt.secret}, partial)
				if most := mostSteps(tt.text, []string{tt.secret}); steps > most {
					t.Errorf("%d steps, more than %d", steps, most)
				}
				_, _, more := redact.Hidden([]byte(big[name].text), []string{big[name].secret}, partial)
				if more > 5*steps {
					t.Errorf("%d steps, then %d for a text that is 4 times as long", steps, more)
				}
			}
		})
	}
}

func TestMemoryGrowsLinearly(t *testing.T) {
	const size = 6_000
	for name, tt := range selfSimilar(size) {
		t.Run(name, func(t *testing.T) {
			text, secrets := []byte(tt.text), []string{tt.secret, "another secret", strings.Repeat("a", 10*size)}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			redact.Secrets(text, secrets, many, true)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 32*size {
				t.Errorf("%d bytes", got)
			}
			if got := testing.AllocsPerRun(3, func() { redact.Secrets(text, secrets, many, true) }); got > 6 {
				t.Errorf("%v allocations", got)
			}
		})
	}
}
