//go:build !tinygo

package model

import "strings"

// addition is what the next version adds to each value that it writes to the store.
const addition = `,"next":1}`

// Upgrade ends an instance, wherever it is, and starts one of the next version.
func (f *Fleet) Upgrade(n int) {
	f.Replace(n)
	f.members[n].upgraded = true
}

// written returns a value as this instance's version writes it to the store.
func (m *member) written(value string) string {
	if m.upgraded {
		return strings.TrimSuffix(value, "}") + addition
	}
	return value
}

// found returns a value from the store as this instance's version reads it: the next
// version also accepts what it adds.
func (m *member) found(value string) string {
	if before, added := strings.CutSuffix(value, addition); added && m.upgraded {
		return before + "}"
	}
	return value
}
