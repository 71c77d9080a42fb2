package instance

import "unsafe"

// Words returns the fields of a struct from its first to its last, all of them an int64, to read and
// to write. A list of their addresses would be hundreds of bytes of code.
func Words(first, last *int64) []int64 {
	between := uintptr(unsafe.Pointer(last)) - uintptr(unsafe.Pointer(first))
	return unsafe.Slice(first, between/unsafe.Sizeof(*first)+1)
}
