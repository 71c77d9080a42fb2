// Package protocol is how tests reach a host: one process for each host, one JSON object per line on
// its standard input, one response per line on its standard output. A response has the id of its
// request; responses may come in any order, and events between them. Anything else that a host
// prints belongs on standard error. tests/adapters/README.md documents it for the client libraries.
package protocol

import (
	"encoding/json"
	"strings"
)

// Request is what a host has to do.
type Request struct {
	// ID is set by Process.
	ID int64 `json:"id"`
	// Op is open or call for a raw host, which has one instance of the plugin. tests/adapters/README.md has those of client
	// libraries, too.
	Op string `json:"op"`

	// For open of a raw host: whether the plugin's file imports WASI, and the hosts that its own HTTP requests may go to.
	WASI         bool     `json:"wasi,omitempty"`
	AllowedHosts []string `json:"allowed_hosts,omitempty"`
	// For call: the export and its input.
	Export string `json:"export,omitempty"`
	Input  Bytes  `json:"input,omitempty"`

	// For open.
	Wasm   string            `json:"wasm,omitempty"`
	Config map[string]string `json:"config,omitempty"`

	Client string `json:"client,omitempty"`
	Open
	Call
	HTTP

	// For store: the operation.
	Do    string  `json:"do,omitempty"`
	Key   string  `json:"key,omitempty"`
	Value string  `json:"value,omitempty"`
	TTL   float64 `json:"ttl,omitempty"`

	// For the bench: how often it is done, one after the other, without an error.
	Times int `json:"times,omitempty"`

	// For cancel: the id of the request.
	Target int64 `json:"target,omitempty"`
}

// Open is how a client is opened, in addition to its config.
type Open struct {
	Variables map[string]string `json:"variables,omitempty"`
	MaxBody   *int64            `json:"max_body,omitempty"`
	UserAgent string            `json:"user_agent,omitempty"`
	Store     *Store            `json:"store,omitempty"`
	Log       string            `json:"log,omitempty"`
}

// Store is a store: another name is another one, even with the same URL.
type Store struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Call is what a call sends. Fields that may be null are left as JSON.
type Call struct {
	Timeout    json.RawMessage `json:"timeout,omitempty"` // of open and close, too
	Now        *int64          `json:"now,omitempty"`
	CustomerID json.RawMessage `json:"customer_id,omitempty"`
	UserID     json.RawMessage `json:"user_id,omitempty"`
	Force      bool            `json:"force,omitempty"`
	Refused    string          `json:"refused,omitempty"`
	Token      string          `json:"token,omitempty"`
	Secret     string          `json:"secret,omitempty"`
	Retry      *Retry          `json:"retry,omitempty"`
}

// HTTP is an HTTP request, or its headers alone.
type HTTP struct {
	Method  string            `json:"method,omitempty"`
	Path    *string           `json:"path,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Query   map[string]string `json:"query,omitempty"`
	JSON    json.RawMessage   `json:"json,omitempty"`
	Body    Bytes             `json:"body,omitempty"`
	Once    bool              `json:"once,omitempty"`
}

// Retry has a call retried, after errors that are retryable, or that have one of these codes.
type Retry struct {
	Deadline float64  `json:"deadline"` // seconds
	Codes    []string `json:"codes,omitempty"`
}

// Response is the response to a request, or an event. Without Error and Text, the request succeeded.
type Response struct {
	ID int64 `json:"id"`

	// Output is the output of a call of the plugin.
	Output Bytes `json:"output,omitempty"`

	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    Bytes             `json:"body,omitempty"`
	Value   *string           `json:"value,omitempty"`
	Added   *bool             `json:"added,omitempty"`

	// Error is the error as a JSON text, the plugin's or the library's. Text is what the language prints for any error, but
	// for the plugin's.
	Error string `json:"error,omitempty"`
	Text  string `json:"text,omitempty"`
	Shown string `json:"shown,omitempty"`
	Cause string `json:"cause,omitempty"`

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
