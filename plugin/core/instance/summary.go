package instance

import (
	"encoding/binary"
	"unsafe"

	"automatic-rostering.example/rostering/plugin/core/clock"
)

// The value of Summary is a number of words. A warm call reads the first two, which say from
// when until when the token may be used without further ado.
//
// first word:  from 40 bits | flags, from bit 8 on | marker 8
// second word: until
const (
	marker      = 0x71
	preparedBit = 8
	forInputBit = 9
	workedBit   = 10
	timeShift   = 24
)

// Warm is what the first two words say.
type Warm struct {
	From, Until        int64
	Prepared, ForInput bool
	WorkedSince        bool
}

// ReadWarm decodes the first two words of Summary.
func ReadWarm(first, second uint64) (w Warm) {
	if first&0xff == marker {
		bit := func(n int) bool { return first>>n&1 == 1 }
		w = Warm{int64(first >> timeShift), int64(second), bit(preparedBit), bit(forInputBit), bit(workedBit)}
	}
	return w
}

// warm returns from when until when the token may be used without further ado.
func (s *State) warm() (from, until int64) {
	t := &s.Token
	if t.Hash == 0 || s.Refuses(t.Hash) {
		return 0, 0
	}
	from = max(t.RequestedAt-clock.Tolerance, 0)
	if s.Previous.Hash != 0 {
		from = max(from, s.UseFrom)
	}
	return from, t.RenewAt()
}

// words is what Summary has after its first two words.
func (s *State) words() []int64 { return Words(&s.Token.Hash, &s.StoreWarnedAt) }

// Encode returns the value of Summary.
func (s *State) Encode() []byte {
	from, until := s.warm()
	first := uint64(from)<<timeShift | marker
	if s.Prepared {
		first |= 1 << preparedBit
	}
	if s.ForInput {
		first |= 1 << forInputBit
	}
	if s.Token.Worked == WorkedSince {
		first |= 1 << workedBit
	}
	b := binary.LittleEndian.AppendUint64(nil, first)
	b = binary.LittleEndian.AppendUint64(b, uint64(until))
	for _, n := range s.words() {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// most is beyond every number, and sums of it are numbers. The least of all numbers is NoPatience.
const most = 1 << 61

// Decode decodes the value of Summary. Anything else becomes an empty state.
func Decode(b []byte) *State {
	s := &State{}
	words := s.words()
	if len(b) != 8*(2+len(words)) || b[0] != marker {
		return s
	}
	for i := range words {
		words[i] = int64(binary.LittleEndian.Uint64(b[8*(2+i):]))
		if words[i] < NoPatience || words[i] > most {
			return &State{}
		}
	}
	w := ReadWarm(binary.LittleEndian.Uint64(b), 0)
	s.Prepared, s.ForInput = w.Prepared, w.ForInput
	return s
}

// Words returns the fields of a struct from its first to its last, all of them an int64, to read and
// to write. A list of their addresses would be hundreds of bytes of code.
func Words(first, last *int64) []int64 {
	between := uintptr(unsafe.Pointer(last)) - uintptr(unsafe.Pointer(first))
	return unsafe.Slice(first, between/unsafe.Sizeof(*first)+1)
}
