package flow

import "automatic-rostering.example/rostering/plugin/core/instance"

// newToken returns what is known about a token: without a clock, that there is one.
func (f *Flow) newToken(text string, requestedAt, expiresAt int64) *instance.Token {
	t := &instance.Token{Hash: instance.Hash(text)}
	if f.now != 0 {
		t.RequestedAt, t.Stamp = requestedAt, requestedAt
		t.ExpiresAt = min(expiresAt, f.now+instance.MaxLifetime)
		t.Margin = min(f.config.Margin, (t.ExpiresAt-requestedAt)/2)
	}
	return t
}

// due reports whether a token is to be obtained, although there may be one.
func (f *Flow) due() bool {
	return f.Object == nil || f.now != 0 && f.now >= f.instance.Token.RenewAt()
}

// otherSteps is how long the token of a step other than done is used, in seconds.
const otherSteps = 30

// until returns when the host begins again, instead of using the token of the step.
func (f *Flow) until() int64 {
	renewal := f.instance.Token.RenewAt()
	end := f.now + otherSteps
	switch {
	case f.offered == &f.instance.Previous && f.now < f.instance.UseFrom:
		end = f.instance.UseFrom
	case f.now < renewal:
		end = renewal
	case f.state == Ended:
		end = f.now + max(f.left(), 1)
	}
	return min(end, f.offered.ExpiresAt)
}
