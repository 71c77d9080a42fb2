package json

import "unicode/utf8"

// Value is the unchanged source of a JSON value, from a text that Object has accepted or that the
// plugin wrote itself. It is not validated again: what is read from another text, such as a var that
// was changed, is anything, but no method panics.
type Value []byte

// Kind is the kind of a value.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	List
	object // unexported, because Object is a function
)

// Kind returns the kind of the value. An empty value counts as null.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return Null
	}
	switch v[0] {
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	case '"':
		return String
	case '[':
		return List
	case '{':
		return object
	}
	return Number
}

// StringEnd returns where the string that begins at at ends.
func (v Value) StringEnd(at int) int { return skipString(v, at) }

// Each calls f with every member of an object, in order, until f returns false. It reports
// whether the value is an object, with or without white space around it; f is not called
// otherwise.
func (v Value) Each(f func(name string, value Value) bool) bool {
	at := skipSpace(v, 0)
	if !is(v, at, '{') {
		return false
	}
	each(v, at, func(name, value Value) bool { return f(name.Text(), value) })
	return true
}

// Get returns the first member of that name of an object, or nil.
func (v Value) Get(name string) (member Value) {
	v.Each(func(other string, value Value) bool {
		if other == name {
			member = value
		}
		return member == nil
	})
	return member
}

// True reports whether the value is true.
func (v Value) True() bool { return is(v, 0, 't') }

// Text returns the unescaped string, or "" for another kind.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	text, _ := v.Decode()
	return string(text)
}

// Decode returns the bytes of the same for a string, which may be the source's, and reports whether it is well-formed: see
// WellFormed.
func (v Value) Decode() (text []byte, wellFormed bool) {
	if len(v) < 2 {
		return nil, false
	}
	inside := v[1 : len(v)-1]
	at := skipPlain(inside, 0)
	if at == len(inside) {
		return inside, true
	}
	text, wellFormed = make([]byte, len(inside)), true // no escape is shorter than its character
	size := 0
	for from := 0; ; {
		size += copy(text[size:], inside[from:at])
		if at == len(inside) {
			return text[:size], wellFormed
		}
		if from = at + 1; inside[at] == '\\' && (is(inside, from, '"') || is(inside, from, '\\')) { // most escapes
			at = skipPlain(inside, from+1)
			continue
		}
		r, length, ok := next(inside[at:])
		wellFormed = wellFormed && ok
		from = at + length
		if inside[at] == '\\' {
			size = len(utf8.AppendRune(text[:size], r)) // EncodeRune would be another function
		} else {
			size += copy(text[size:], inside[at:from])
		}
		at = skipPlain(inside, from)
	}
}

// Texts returns a string, or a list of nothing but strings.
func (v Value) Texts() (texts []string, ok bool) {
	switch v.Kind() {
	case String:
		return []string{v.Text()}, true
	case List:
		ok = true
		each(v, 0, func(_, item Value) bool {
			ok = item.Kind() == String
			texts = append(texts, item.Text())
			return ok
		})
		if ok {
			return texts, true
		}
	}
	return nil, false
}

// Integer returns the integer part of a number without its sign, at most limit, and whether
// its fraction is zero. It parses the number exactly, without the rounding of floats: 36e2
// is 3600.
func (v Value) Integer(limit int64) (n int64, negative, whole bool) {
	before, fraction := int64(0), false // the number of digits before the point, and whether it was read
	end := 0
	for ; end < len(v) && v[end]|0x20 != 'e'; end++ {
		if fraction = fraction || v[end] == '.'; !fraction && v[end] != '-' {
			before++
		}
	}
	if end < len(v) {
		before += readExponent(v[end+1:])
	}
	whole = true
	for _, c := range v[:end] {
		switch {
		case c == '-':
			negative = true
		case c == '.':
		case before > 0:
			n = min(n*10+int64(c-'0'), limit)
			before--
		case c != '0':
			whole = false
		}
	}
	for ; before > 0 && n > 0 && n < limit; before-- {
		n = min(n*10, limit)
	}
	return n, negative, whole
}

// Natural returns a number that is an integer and not negative, at most limit.
func (v Value) Natural(limit int64) (n int64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	n, negative, whole := v.Integer(limit)
	return n, whole && (n == 0 || !negative)
}

// maxExponent is beyond any that matters, and small enough to be added up.
const maxExponent = 1 << 40

func readExponent(b []byte) (n int64) {
	sign := int64(1)
	for _, c := range b {
		switch c {
		case '-':
			sign = -1
		case '+':
		default:
			n = min(n*10+int64(c-'0'), maxExponent)
		}
	}
	return sign * n
}
