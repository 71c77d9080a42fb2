// Package protocol is how the scenarios reach a host: one process for each host, one JSON object
// per line on its standard input, one response per line on its standard output. A response has
// the id of its request; responses may come in any order. Anything else that a host prints
// belongs on standard error.
package protocol

// Request is what a host has to do.
type Request struct {
	// ID is set by Process.
	ID int64 `json:"id"`
	// Op is versions, create, call, drive, cancel or close.
	Op string `json:"op"`
	// Instance names the instance that is created, called, driven or closed.
	Instance string `json:"instance,omitempty"`

	// For create: the plugin's file, whether it imports WASI, the config, and the hosts
	// that the plugin's own HTTP requests may go to.
	Wasm         string            `json:"wasm,omitempty"`
	WASI         bool              `json:"wasi,omitempty"`
	Config       map[string]string `json:"config,omitempty"`
	AllowedHosts []string          `json:"allowed_hosts,omitempty"`
	// For create: Client makes a client of the language's library instead of an instance
	// of the SDK; without HTTP of the plugin, and with a shared store at the URL Store if
	// that is set. The client POSTs {"op", "key", "value", "ttl"} there.
	Client bool   `json:"client,omitempty"`
	Store  string `json:"store,omitempty"`

	// For call: the export and its input. For drive: a call, which the library makes by
	// begin and resume, sending the requests itself. The input goes into begin unchanged,
	// and its now into every resume.
	Export string `json:"export,omitempty"`
	Input  []byte `json:"input,omitempty"`
	// For drive: the request's body, which the plugin does not see, and the call's
	// timeout (default: the library's).
	Body      []byte `json:"body,omitempty"`
	TimeoutMS int64  `json:"timeout_ms,omitempty"`

	// For cancel: the id of the drive to cancel.
	Target int64 `json:"target,omitempty"`
}

// Response is the response to a request. At most one of Error, Trap and Canceled is set.
type Response struct {
	ID int64 `json:"id"`
	// Output is the output of a call; of one that was driven, the token object or the body
	// of the service's response.
	Output []byte `json:"output,omitempty"`
	// Status is that of the service's response, for a call that was driven.
	Status int `json:"status,omitempty"`
	// Error is the error as a JSON text: the plugin's, or for a call that was driven one
	// of the library; for create, that of a library that rejects the config.
	Error string `json:"error,omitempty"`
	// Trap is set if the call or create failed without such an error.
	Trap string `json:"trap,omitempty"`
	// Canceled is set if a driven call ended because it was canceled.
	Canceled bool `json:"canceled,omitempty"`
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
