package redact

// Steps returns the number of comparisons that a search takes.
func Steps(text []byte, secrets []string, partial bool) int {
	return newSearch(text, secrets, partial).steps
}
