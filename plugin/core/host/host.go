// Package host defines what the core needs from its host, and how an export ends.
package host

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/message"
)

// Level is that of a log line.
type Level uint8

const (
	Debug Level = iota
	Warn
)

// Host is what every export may use. None of it is network I/O.
type Host interface {
	// Config returns a config value, or "" if it is missing.
	Config(key string) string
	// Var returns the value of a var, or nil if it is missing.
	Var(name string) []byte
	// SetVar sets a var; nil removes it.
	SetVar(name string, value []byte)
	// Hold selects a var, to be sent or returned without a copy. It reports whether the var
	// is set.
	Hold(name string) bool
	// Now returns the clock's time in Unix seconds, or 0 without a clock.
	Now() int64
	Log(level Level, line string)
}

// Sender is a host that sends requests, for direct calls. A request without a response may
// end the call: on most hosts it is a trap.
type Sender interface {
	Host
	// Words returns the first two words of a var.
	Words(name string) (first, second uint64, ok bool)
	// LogVar logs the value of a var, at Debug and without a copy, and reports whether the var
	// is set.
	LogVar(name string) bool
	Send(r *message.Request) *message.Response
	// SendHeld sends the held var, which is a request in the form of Request.JSON.
	SendHeld() *message.Response
}

// Kind says what an export returns.
type Kind uint8

const (
	Output   Kind = iota // Text, which may be empty
	Held                 // the held var
	Response             // the body of the last response
	Error                // Text is the error, a JSON object
)

// Result is how an export ends.
type Result struct {
	Kind Kind
	Text []byte
}

// Fail returns an error as a result.
func Fail(err *apierror.Error) Result { return Result{Kind: Error, Text: err.JSON()} }
