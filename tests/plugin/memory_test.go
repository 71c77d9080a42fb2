package plugin

import "fmt"

// memory is the blocks that host and plugin share, by number. It is stricter than any real host: a block that was given away or
// freed, or is of an earlier call, is gone for good, and nothing may be read or written beyond a block's end.
type memory struct {
	blocks map[uint64]block
	made   uint64
}

type block struct {
	bytes  []byte
	shared bool // not to be written to
}

// An offset has the number of a block, and in its lower bits the place within it.
const blockBits = 32

func (m *memory) add(b block) (offset uint64) {
	m.made++
	m.blocks[m.made] = b
	return m.made << blockBits
}

// put makes a block of b; an empty b is no block, as hosts have it for an empty value. A var's is shared: some JavaScript SDKs
// give the var itself, so that writing to the block changes the var.
func (m *memory) put(b []byte, shared bool) uint64 {
	if len(b) == 0 {
		return 0
	}
	made := make([]byte, len(b)) // without more capacity, beyond which the plugin could read
	copy(made, b)
	return m.add(block{made, shared})
}

// block returns the one that an offset lies in.
func (m *memory) block(offset uint64) block {
	b, ok := m.blocks[offset>>blockBits]
	if !ok {
		panic(fmt.Errorf("block %#x is not the plugin's: it was never made, was given away or freed", offset))
	}
	return b
}

// at returns bytes of a block, to read or to write. It panics beyond its end.
func (m *memory) at(offset, size uint64, write bool) []byte {
	b, place := m.block(offset), offset&(1<<blockBits-1)
	if b.shared && write {
		panic(fmt.Errorf("block %#x came from var_get and must not be written to", offset))
	}
	return b.bytes[place : place+size]
}

// take returns a block that the host now owns.
func (m *memory) take(offset uint64) []byte {
	b := m.block(offset)
	delete(m.blocks, offset>>blockBits)
	return b.bytes
}
