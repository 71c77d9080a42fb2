package plugin

import "fmt"

// memory is the blocks that host and plugin share. It is stricter than any real host: a block that was given away or freed, or
// is of an earlier call, is gone for good, and nothing may be read or written beyond a block's end.
type memory struct {
	blocks []block
	made   uint64 // blocks of earlier calls
	chunk  []byte
	unused []byte // of chunk
}

type block struct {
	bytes  []byte
	shared bool // not to be written to
	gone   bool
}

// An offset has the number of a block, and in its lower bits the place within it.
const blockBits = 32

func (m *memory) reset() {
	m.made += uint64(len(m.blocks))
	m.blocks, m.unused = m.blocks[:0], m.chunk
}

func (m *memory) alloc(size uint64) uint64 {
	if size > uint64(len(m.unused)) {
		m.chunk = make([]byte, max(size, 1<<20))
		m.unused = m.chunk
	}
	m.blocks = append(m.blocks, block{bytes: m.unused[:size:size]})
	m.unused = m.unused[size:]
	return (m.made + uint64(len(m.blocks))) << blockBits
}

// put makes a block of b; an empty b is no block, as hosts have it for an empty value. A var's is shared: some JavaScript SDKs
// give the var itself, so that writing to the block changes the var.
func (m *memory) put(b []byte, shared bool) uint64 {
	if len(b) == 0 {
		return 0
	}
	offset := m.alloc(uint64(len(b)))
	made := &m.blocks[len(m.blocks)-1]
	copy(made.bytes, b)
	made.shared = shared
	return offset
}

// block returns the one that an offset lies in.
func (m *memory) block(offset uint64) *block {
	i := offset>>blockBits - m.made - 1
	if i >= uint64(len(m.blocks)) || m.blocks[i].gone {
		panic(fmt.Errorf("block %#x is not the plugin's: it was never made, was given away or freed", offset))
	}
	return &m.blocks[i]
}

// length of 0 is 0, of no block at all.
func (m *memory) length(offset uint64) uint64 {
	if offset == 0 {
		return 0
	}
	return uint64(len(m.block(offset).bytes))
}

// at returns bytes of a block, to read or to write.
func (m *memory) at(offset, size uint64, write bool) []byte {
	b, place := m.block(offset), offset&(1<<blockBits-1)
	switch length := uint64(len(b.bytes)); {
	case size > length || place > length-size:
		panic(fmt.Errorf("%d bytes at %d lie beyond a block of %d", size, place, length))
	case b.shared && write:
		panic(fmt.Errorf("block %#x came from var_get and must not be written to", offset))
	}
	return b.bytes[place : place+size]
}
