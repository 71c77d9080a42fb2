package redact

// Hidden returns which bytes of text are hidden, the positions of the marks, and the number
// of comparisons.
func Hidden(text []byte, secrets []string, partial bool) (hidden, marks []bool, steps int) {
	s := newSearch(text, secrets, partial)
	hidden, marks = make([]bool, len(text)), make([]bool, len(text))
	for i := range text {
		m := s.mark(i)
		hidden[i] = m != 0 || i >= s.tail
		marks[i] = m == first && i <= s.tail || i == s.tail && m == 0
	}
	return hidden, marks, s.steps
}
