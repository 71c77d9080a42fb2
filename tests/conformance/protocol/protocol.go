// Package protocol is how the scenarios reach a host: one process for each host,
// one JSON object a line on its standard input, one answer a line on its standard
// output, in order. Whatever else a host has to say belongs on standard error.
package protocol

// Request is what a host is told to do.
type Request struct {
	// Op is create, call, drive, close or versions.
	Op string `json:"op"`
	// Instance names the instance that is made, called, driven or closed.
	Instance string `json:"instance,omitempty"`

	// For create: the plugin's file, whether it imports WASI, the config, and the
	// hosts that HTTP requests may go to; none if the instance is to be driven.
	Wasm         string            `json:"wasm,omitempty"`
	WASI         bool              `json:"wasi,omitempty"`
	Config       map[string]string `json:"config,omitempty"`
	AllowedHosts []string          `json:"allowed_hosts,omitempty"`

	// For call: the export, and its input as base64. For drive the same: the language's
	// driver makes this call by begin and resume, and sends the requests itself. The
	// input has the time, for begin and for each resume.
	Export string `json:"export,omitempty"`
	Input  []byte `json:"input,omitempty"`
}

// Answer is what came of a request. At most one of Error and Trap is set.
type Answer struct {
	// Output is the output of a call, as base64; of one that was driven, the token object,
	// or the body of the service's last answer.
	Output []byte `json:"output,omitempty"`
	// Error is the plugin's own error text.
	Error string `json:"error,omitempty"`
	// Trap says that the call, or the making of the instance, ended without one.
	Trap string `json:"trap,omitempty"`
	// Logs are the plugin's log lines during the call.
	Logs []Log `json:"logs,omitempty"`
	// Versions names what runs, each with its version: "Python 3.11.7, extism 1.1.1".
	Versions string `json:"versions,omitempty"`
}

// Log is a line of the plugin's log.
type Log struct {
	Level string `json:"level"` // debug or warn
	Line  string `json:"line"`
}
