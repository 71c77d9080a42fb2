package instance

// A refused token may be one of which the service, or a part of it, does not know yet. So it stays
// until its patience is over, in seconds.
const (
	leastPatience = 10
	MostPatience  = 360
	// NoPatience is that with a token from set_token, which may have been revoked long ago.
	NoPatience = -1
	// growth is how many times longer the patience of the next token is if one was replaced
	// before it was ripe times as old as its own. So the second is longer than a minute, for which
	// services often cache what they know.
	growth = 7
	ripe   = 2
	// workedPart is the part of its patience that a token needs that the service accepted.
	workedPart = 5
)

// Stays returns for how many seconds more Token stays although the service refuses it.
func (s *State) Stays(now int64) int64 {
	return max(min(s.Token.RequestedAt, now)+s.needs()-now, 0) // the clock may have been set back
}

func (s *State) needs() int64 {
	switch t := &s.Token; {
	case t.Patience == NoPatience:
		return 0
	case t.Worked != neverWorked:
		return max(s.OwnPatience, leastPatience) / workedPart
	default:
		return max(t.Patience, leastPatience)
	}
}

// Refusal notes that the service refused Token, and reports whether it stays nevertheless.
func (s *State) Refusal(now int64, used bool) (stays bool) {
	t := &s.Token
	wrong := t.Worked == WorkedSince && s.Stayed == t.Hash // an earlier 401 was
	if used || t.Worked == WorkedSince {
		t.Worked = worked
	}
	if stays = wrong || s.Stays(now) > 0; stays {
		s.Stayed = t.Hash
	}
	return stays
}

// Replace determines the patience of the token that replaces Token. That of tokens that worked
// is the instance's own: the others may have no such trouble.
func (s *State) Replace(now int64) {
	next, patience, early := &s.NextPatience, s.Token.Patience, now < s.Token.RequestedAt+ripe*s.needs()
	if s.Token.Worked != neverWorked {
		s.NextPatience = 0
		next, patience = &s.OwnPatience, s.OwnPatience
	}
	*next = 0
	if early {
		*next = min(growth*max(patience, leastPatience), MostPatience)
	}
}
