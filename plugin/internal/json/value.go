package json

// Value is a value of a valid JSON text, as it stands there.
type Value []byte

// Kind is the kind of a value.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// Kind gives the kind of the value.
func (v Value) Kind() Kind {
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
		return Object
	}
	return Number
}

// True reports whether the value is true.
func (v Value) True() bool { return v[0] == 't' }

// Text gives a string's characters, or "" of another kind.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	inside := v[1 : len(v)-1]
	var text []byte
	for i := 0; i < len(inside); {
		if inside[i] != '\\' {
			text = append(text, inside[i])
			i++
			continue
		}
		spelled, size := Unescape(inside[i:])
		text = append(text, spelled...)
		i += size
	}
	return string(text)
}

// Texts gives a string, or a list of nothing but strings.
func (v Value) Texts() (texts []string, ok bool) {
	switch v.Kind() {
	case String:
		return []string{v.Text()}, true
	case List:
		for at := skipSpace(v, 1); v[at] != ']'; at = skipSpace(v, at) {
			if v[at] == ',' {
				at = skipSpace(v, at+1)
			}
			end := skipValue(v, at)
			item := Value(v[at:end])
			if item.Kind() != String {
				return nil, false
			}
			texts, at = append(texts, item.Text()), end
		}
		return texts, true
	}
	return nil, false
}

// Integer gives the part of a number before the decimal point, at most limit,
// without its sign, and whether nothing but zeros stands behind the point. The
// number is read as it is written: 36e2 is 3600, without the rounding of floats.
func (v Value) Integer(limit int64) (n int64, negative, whole bool) {
	digits, point, exponent := make([]byte, 0, len(v)), -1, int64(0)
	for i, c := range v {
		switch c {
		case '-':
			negative = true
		case '.':
			point = len(digits)
		case 'e', 'E':
			exponent = readExponent(v[i+1:])
			goto read
		default:
			digits = append(digits, c-'0')
		}
	}
read:
	if point < 0 {
		point = len(digits)
	}
	whole = true
	before := int64(point) + exponent
	for i, d := range digits {
		if int64(i) < before {
			n = min(n*10+int64(d), limit)
		} else if d != 0 {
			whole = false
		}
	}
	for i := int64(len(digits)); i < before && n > 0 && n < limit; i++ {
		n = min(n*10, limit)
	}
	return n, negative, whole
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
