package json

import "automatic-rostering.example/rostering/plugin/core/ascii"

// Writer is a JSON text that is being written. Each call of a method takes a third of the room of an
// append.
type Writer []byte

// Raw writes JSON, unchanged.
func (w *Writer) Raw(source string) { *w = append(*w, source...) }

// Text writes a string, with U+FFFD for invalid UTF-8.
func (w *Writer) Text(value string) { w.Bytes([]byte(value)) }

// Bytes writes them as a string.
func (w *Writer) Bytes(value []byte) { *w = AppendString(*w, value) }

// Int writes a number.
func (w *Writer) Int(n int64) { *w = ascii.AppendInt(*w, n) }

// Name writes the name of a member that is not the first.
func (w *Writer) Name(name string) {
	w.Raw(`,"`)
	w.Raw(name)
	w.Raw(`":`)
}

// Number writes a member that is a number.
func (w *Writer) Number(name string, n int64) {
	w.Name(name)
	w.Int(n)
}
