//go:build !tinygo

package model

// event is something that happens at a time: an instance makes its next call, or run is called.
type event struct {
	at   float64
	turn uint64 // of events at the same time, the one that was scheduled first comes first
	next *member
	run  func()
}

// queue is a heap of events.
type queue []event

func (q queue) before(a, b int) bool {
	return q[a].at < q[b].at || q[a].at == q[b].at && q[a].turn < q[b].turn
}

func (q *queue) push(e event) {
	*q = append(*q, e)
	h := *q
	for n := len(h) - 1; n > 0; {
		above := (n - 1) / 2
		if !h.before(n, above) {
			break
		}
		h[n], h[above] = h[above], h[n]
		n = above
	}
}

func (q *queue) pop() event {
	h := *q
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h[last] = event{}
	h = h[:last]
	*q = h
	for n := 0; ; {
		least := n
		for below := 2*n + 1; below <= 2*n+2; below++ {
			if below < last && h.before(below, least) {
				least = below
			}
		}
		if least == n {
			return first
		}
		h[n], h[least] = h[least], h[n]
		n = least
	}
}
