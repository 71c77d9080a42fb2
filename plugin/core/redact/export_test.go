package redact

// MaxSteps bounds the comparisons of a search.
const MaxSteps = maxSteps

// Steps returns the number of comparisons that a search in a whole text takes.
func Steps(text []byte, secrets []string, partial bool) int {
	s := NewSearch(secrets)
	s.text, s.partial = text, partial
	for at := 0; at < len(text) && s.match(at) < len(text); at++ {
	}
	return s.steps
}
