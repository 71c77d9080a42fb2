package protocol

import (
	"io"
	"sync"
)

// queue holds the lines for a host that may be slow to read them, so that sending a
// request never blocks.
type queue struct {
	mutex  sync.Mutex
	change *sync.Cond
	lines  [][]byte
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.change = sync.NewCond(&q.mutex)
	return q
}

func (q *queue) add(line []byte) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.lines = append(q.lines, line)
	q.change.Signal()
}

// close lets writeTo end after the lines that are there.
func (q *queue) close() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.closed = true
	q.change.Signal()
}

// writeTo writes the lines until the queue is closed or the host reads no more, and
// closes in. That a host has ended is seen by its output.
func (q *queue) writeTo(in io.WriteCloser) {
	defer in.Close()
	for {
		line, ok := q.next()
		if !ok {
			return
		}
		if _, err := in.Write(line); err != nil {
			return
		}
	}
}

func (q *queue) next() (line []byte, ok bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for len(q.lines) == 0 && !q.closed {
		q.change.Wait()
	}
	if len(q.lines) == 0 {
		return nil, false
	}
	line, q.lines = q.lines[0], q.lines[1:]
	return line, true
}
