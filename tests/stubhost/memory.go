package stubhost

import "fmt"

// memory is the blocks that host and plugin share. It is stricter than any real
// host: a block that was given away or freed is gone for good, and nothing may be
// read or written beyond a block's end.
type memory struct {
	blocks map[uint64][]byte // by offset
	shared map[uint64]bool   // blocks that are not to be written to
	next   uint64
}

// blockBits leaves room for the place within a block in the lower bits of an offset.
const blockBits = 32

func (m *memory) reset() { m.blocks, m.shared = map[uint64][]byte{}, map[uint64]bool{} }

func (m *memory) alloc(size uint64) uint64 {
	m.next++
	offset := m.next << blockBits
	m.blocks[offset] = make([]byte, size)
	return offset
}

// put makes a block of b; an empty b is no block, as hosts have it for an empty value.
func (m *memory) put(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	offset := m.alloc(uint64(len(b)))
	copy(m.blocks[offset], b)
	return offset
}

// share makes a block of a var. Some JavaScript SDKs give the var itself, so that
// writing to the block changes the var.
func (m *memory) share(b []byte) uint64 {
	offset := m.put(b)
	m.shared[offset] = true
	return offset
}

// peek reads a block; it stays.
func (m *memory) peek(offset uint64) []byte {
	b, ok := m.blocks[offset]
	if !ok {
		panic(fmt.Errorf("block %#x is not the plugin's: it was never made, was given away or freed", offset))
	}
	return b
}

// take reads a block that the host now owns.
func (m *memory) take(offset uint64) []byte {
	b := m.peek(offset)
	delete(m.blocks, offset)
	return b
}

func (m *memory) at(offset, size uint64) []byte {
	b, place := m.peek(offset>>blockBits<<blockBits), offset&(1<<blockBits-1)
	if place+size > uint64(len(b)) {
		panic(fmt.Errorf("%d bytes at %d lie beyond a block of %d", size, place, len(b)))
	}
	return b[place : place+size]
}

func (m *memory) writable(offset, size uint64) []byte {
	if m.shared[offset>>blockBits<<blockBits] {
		panic(fmt.Errorf("block %#x came from var_get and must not be written to", offset))
	}
	return m.at(offset, size)
}
