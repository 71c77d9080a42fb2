package instance

import "slices"

// hashes are those of a few tokens, latest first.
type hashes [4]int64

func (h *hashes) has(hash int64) bool { return hash != 0 && slices.Contains(h[:], hash) }

func (h *hashes) add(hash int64) {
	h.remove(hash)
	copy(h[1:], h[:])
	h[0] = hash
}

func (h *hashes) remove(hash int64) {
	if i := slices.Index(h[:], hash); i >= 0 {
		copy(h[i:], h[i+1:])
		h[len(h)-1] = 0
	}
}

// CountRefused counts a refused token, once.
func (s *State) CountRefused(hash int64) {
	if !s.Counted.has(hash) {
		s.RefusedTokens++
	}
	s.Counted.add(hash)
}

// Refuse remembers a refused token.
func (s *State) Refuse(hash int64) { s.Refused.add(hash) }

// Forgive forgets that a token was refused.
func (s *State) Forgive(hash int64) { s.Refused.remove(hash) }

// Refuses reports whether a token was refused.
func (s *State) Refuses(hash int64) bool { return s.Refused.has(hash) }
