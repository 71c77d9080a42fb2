// Package protocol is how tests reach a host: one process for each host, one JSON object per line on
// its standard input, one response per line on its standard output. A response has the id of its
// request; responses may come in any order, and events between them. Anything else that a host
// prints belongs on standard error. tests/adapters/README.md documents it for the client libraries.
package protocol

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Request is what a host has to do.
type Request struct {
	// ID is set by Process.
	ID int64 `json:"id"`
	// Op is open or call for a raw host, which has one instance of the plugin. tests/adapters/README.md has those of client
	// libraries, too.
	Op string `json:"op"`

	// For open: a file with the plugin. For open of a raw host: the config, whether the file imports WASI, and the hosts that its
	// own HTTP requests may go to.
	Wasm         string            `json:"wasm,omitempty"`
	Config       map[string]string `json:"config,omitempty"`
	WASI         bool              `json:"wasi,omitempty"`
	AllowedHosts []string          `json:"allowed_hosts,omitempty"`
	// For call: the export and its input.
	Export string `json:"export,omitempty"`
	Input  Bytes  `json:"input,omitempty"`

	// For libraries: the client and, for cancel, the id of the request. Fields are all others.
	Client string         `json:"client,omitempty"`
	Target int64          `json:"target,omitempty"`
	Fields map[string]any `json:"-"`
}

// MarshalJSON adds the fields.
func (r Request) MarshalJSON() ([]byte, error) {
	type plain Request
	known, err := json.Marshal(plain(r))
	if len(r.Fields) == 0 || err != nil {
		return known, err
	}
	others, err := json.Marshal(r.Fields)
	return slices.Concat(bytes.TrimSuffix(known, []byte("}")), []byte(","), bytes.TrimPrefix(others, []byte("{"))), err
}

// Response is the response to a request, or an event. Without Error and Text, the request succeeded.
type Response struct {
	ID int64 `json:"id"`

	// Output is the output of a call of the plugin.
	Output Bytes `json:"output,omitempty"`

	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    Bytes             `json:"body,omitempty"`
	// JSON is what else a call of a library returned.
	JSON any `json:"json,omitempty"`

	// Error is the error as a JSON text, the plugin's or the library's. Text is what the language prints for any error, but
	// for the plugin's.
	Error string `json:"error,omitempty"`
	Text  string `json:"text,omitempty"`
	Shown string `json:"shown,omitempty"`
	Cause string `json:"cause,omitempty"`

	// PluginCalls is how often the client has called its plugin so far.
	PluginCalls int `json:"plugin_calls,omitempty"`

	// Logs are the log lines of a call of the plugin, which arrive as events.
	Logs []Log `json:"-"`

	// Event is log for a line of a client's log, in place of a response.
	Event  string `json:"event,omitempty"`
	Client string `json:"client,omitempty"`
	Log
}

// Log is a line of a log.
type Log struct {
	Level string `json:"level,omitempty"` // debug or warn
	Line  string `json:"line,omitempty"`
}

// Bytes are written as a string with a character for each byte, which every language can do without a library.
type Bytes []byte

// MarshalJSON makes a character of each byte.
func (b Bytes) MarshalJSON() ([]byte, error) {
	var text strings.Builder
	for _, c := range b {
		text.WriteRune(rune(c))
	}
	return json.Marshal(text.String())
}

// UnmarshalJSON makes a byte of each character.
func (b *Bytes) UnmarshalJSON(quoted []byte) error {
	var text string
	err := json.Unmarshal(quoted, &text)
	for _, c := range text {
		*b = append(*b, byte(c))
	}
	return err
}
