package call

import "automatic-rostering/plugin/core/message"

// Level is that of a log line.
type Level uint8

const (
	Debug Level = iota
	Warn
)

// Host is what a call needs from its host while it decides. None of it is network I/O.
type Host interface {
	// Config returns a config value, or "" if it is missing.
	Config(key string) string
	// Var returns the value of a var, or nil if it is missing.
	Var(name string) []byte
	// SetVar sets a var; nil removes it.
	SetVar(name string, value []byte)
	// Words returns the first two words of a var.
	Words(name string) (first, second uint64, ok bool)
	// Hold selects a var, to be sent or returned without a copy. It reports whether the
	// var is set.
	Hold(name string) bool
	// Now returns the clock's time in Unix seconds, or 0 without a clock.
	Now() int64
	// Log logs a line; LogVar logs the value of a var, at Debug and without a copy, and
	// reports whether the var is set.
	Log(level Level, line string)
	LogVar(name string) bool
}

// Kind says what a call wants next.
type Kind uint8

const (
	Send         Kind = iota // send Request, and resume with the response
	SendHeld                 // send the held var, and resume with the response
	Wait                     // wait for Pause, and resume
	Store                    // do Op on the shared store, and resume with its result
	Give                     // done: Output is the output
	GiveHeld                 // done: the held var is the output
	GiveResponse             // done: the body of the last response is the output
	Fail                     // done: Output is the error, a JSON object
)

// Step is what a call wants next. A call whose requests the plugin sends wants neither
// Wait nor Store.
type Step struct {
	Kind    Kind
	Request *message.Request
	Pause   int64 // milliseconds
	Op      Op
	Output  []byte
}

// Op is an operation on the shared store.
type Op struct {
	Name  string // get, add or set
	Key   string
	Value string
	TTL   int64 // seconds, after which the store forgets the value
}
