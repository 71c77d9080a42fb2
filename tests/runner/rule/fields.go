package rule

import "encoding/json"

// The fields of the language. The tables of tests/rules/README.md are written from the comments in this file, one for each type
// whose fields have names in JSON: make matrix. All limits of what may be combined are there, too.

// Rule is one rule, and the cases that show it.
type Rule struct {
	// Name is its name.
	Name string `json:"rule"`
	// Text is what it says, for a rule of the libraries.
	Text string `json:"text"`
	Scope
	// Listed are what shows it, by name: on the core, the built file and the build that fills the heap with a pattern between calls,
	// or, without an anchor, on libraries.
	Listed map[string][]any `json:"cases"`
	// Everywhere are the same, also on all raw hosts and libraries, for what they can go wrong with.
	Everywhere map[string][]any `json:"everywhere"`
	// Native is what only a language can show: the test that shows it, by language.
	Native map[string]string `json:"native"`
	// Definitions are what the file repeats, as YAML anchors.
	Definitions []any `json:"definitions"`

	// Cases are all of them, of which each row is one.
	Cases []Case `json:"-"`
}

// Scope is what a rule has for all of its cases, or a case for itself.
type Scope struct {
	// Anchor is the section of [the contract](../../docs/contract.md) that has it, for a rule of the plugin.
	Anchor string `json:"anchor"`
	// Accepts is what the host of its flows can do: `[store]`, `[wait]`.
	Accepts []string `json:"accepts"`
	// Differences are players that do otherwise, by language or name, each with the reason: they skip it. A raw host plays such a
	// case, which must fail.
	Differences map[string]string `json:"differences"`
}

// Entry is what a list of steps may have, in addition to these, as its first and its last entry.
type Entry struct {
	// Case has the fields below.
	Case json.RawMessage `json:"case"`
	// Each makes it a family: one case per row. A row has a name and values, which replace `"{{value}}"` in the case; a field whose
	// value a row lacks is omitted. `{{row}}` is the name, and `{{ROW}}` the same in capital letters; rows without other values
	// are a list of these.
	Each json.RawMessage `json:"each"`
}

// Case is one course of events.
type Case struct {
	Scope
	// Config overrides the default config, of a scripted case or of `open`; `null` removes a key. For libraries, its values are
	// variables of the environment; `client_secret_file` is what such a file has, or its bytes after `base64:`, or `missing`.
	Config Config `json:"config"`
	// Direct is `true` if its direct calls do something that no flow does: neither libraries nor flows play it.
	Direct bool `json:"direct"`
	// Process is what a separate process that plays it has: variables of the environment, as `NAME=VALUE`, or `tls`, which also has
	// the servers speak HTTP/2 over TLS, with a certificate that it trusts.
	Process []string `json:"process"`
	// Memory is by how many MiB the adapter may grow. Nothing else plays in it meanwhile.
	Memory int `json:"memory"`

	Rule    string `json:"-"` // its name
	Name    string `json:"name" field:"-"`
	Players string `json:"players" field:"-"` // where it is played: plugin, everywhere or libraries
	Steps   []Step `json:"steps" field:"-"`
	// Raw is the case in its form as JSON, with placeholders.
	Raw json.RawMessage `json:"-"`
}

// Config overrides some keys of a config. Nil removes one.
type Config map[string]*string

// Step is something that happens: what it says of servers first, a call or the end of some, and then what must be so.
type Step struct {
	Before
	Act
	Call
	Outcome
	After

	// Now is the time of a call, as JSON, or nil; Source is the step as JSON, at most its first 500 bytes.
	Now    json.RawMessage `json:"-"`
	Source string          `json:"-"`
}

// Before is what happens before a call, or without one.
type Before struct {
	// Servers is what they do, by name: a list of the next responses, before those by default (`[]`: those alone); another response
	// for all from now on; or `hold`, which holds later responses back, `free`, which does so no more, `respond`, which responds to
	// the requests that arrived, and `release`, which does both. `revoke` has the service refuse the tokens that were given so
	// far, and `silence` has connections neither respond nor close any more, as if the server were gone.
	Servers map[string]Action `json:"servers"`
}

// Act is what a step does: one of these.
type Act struct {
	// Do is an export of the plugin, `flow` for a whole flow, or an operation of [adapters](../adapters): `list_jobs`, `own`, …
	Do string `json:"do"`
	// SetToken is the call of that name, which returns nothing, with this access token of the default config until 1800003600.
	SetToken json.RawMessage `json:"set_token"`
	// Open is the name of a client to open, with `config`, `store`, `timeout`, and in `input` other options of adapters; `wasm` is
	// a file of the repository or of `build`, which has those of [modules](modules).
	Open string `json:"open"`
	// Begin is the name of a flow to begin. Its `exchanges` are the next steps, the last of which waits for its result, unless there
	// is an outcome.
	Begin string `json:"begin"`
	// Resume is the name of a flow to resume with the response in its last step, or with `input`, under the name `as`.
	Resume string `json:"resume"`
	// End is the names of calls whose end it waits for, and wants an outcome of.
	End Names `json:"end"`
	// Cancel is the name of calls to cancel.
	Cancel string `json:"cancel"`
	// Eventually is a step that is repeated until its result is the wanted one; its clock advances in the meantime.
	Eventually *Step `json:"eventually"`
}

// Call is what is passed to a call.
type Call struct {
	// At is the time in seconds since 1800000000. `null` is no time.
	At json.RawMessage `json:"at"`
	// Input is the rest of the input by the contract's names, or as a string all of it. For libraries, it also has `url`, `query`,
	// `json`, `once`, `retry`, and of a store `do`, `key`, `value`, `ttl`.
	Input Input `json:"input"`
	// Client is that of a library (default: `c`).
	Client string `json:"client"`
	// Store is that of a client, or of the call `store`: a kind (`memory`, `folder`, `redis`, `http`), and a name or not.
	Store string `json:"store"`
	// Timeout is in seconds; `null`: no limit.
	Timeout json.RawMessage `json:"timeout"`
	// Times is how often it is made, or with `pending`, looked at.
	Times int `json:"times"`
	// As is a name for it: the next step does not wait for its end.
	As string `json:"as"`
	// Exchanges are all requests and operations that a scripted call makes, in this order.
	Exchanges []Exchange `json:"exchanges"`
	Config    Config     `json:"config" field:"-"`
}

// Reply is what a response has, or the result or the error of a call.
type Reply struct {
	// Status is that of HTTP (default of a response: 200).
	Status int `json:"status"`
	Content
}

// Content is what requests and responses have.
type Content struct {
	// Headers are by name. Of a request in a script, they override the default ones. `null`: it is missing. `…` at the end of what
	// is expected matches anything.
	Headers map[string]*string `json:"headers"`
	// Body is a string, or another value, whose JSON text it is. Of a response, it is bytes in base64 after `base64:`.
	Body json.RawMessage `json:"body"`
}

// Outcome is how a call ends. Without any, it succeeds; if it is scripted, its output is the body of the last response, byte for
// byte.
type Outcome struct {
	// Token is the token object: an access token that expires at 1800003600, or those of its fields.
	Token Token `json:"token"`
	Offer
	// Error is all fields of the error except `message`, and `problems` (their keys), `request` and `reason` if they matter, or its
	// code alone; for `explain`, as its output. It is `retryable` by its code if it does not say so, and `service_error` is not.
	Error Failure `json:"error"`
	// Fails is some fields of the error, `null` for one that it may not have, and `cause: true` if it must have one; `{}`: it fails in
	// any way; or its code, also `network_error` for the trap of a raw host, `canceled`, `closed` for a closed client, and
	// `misuse` for the language's own error for a wrong argument.
	Fails Failure `json:"fails"`
	// Ends is such codes, with which it may fail; if it succeeds, the others of these apply.
	Ends Names `json:"ends"`
	// Text is parts of the error's text (of the message, if the plugin is called directly).
	Text Names `json:"text"`
	// Got is some fields of the output, a JSON object; `null` for one that it lacks.
	Got map[string]json.RawMessage `json:"got"`
	Reply
}

// Offer is what a step of a flow says of its token.
type Offer struct {
	// Until is that of a step of a flow that has a token, if it matters.
	Until *int64 `json:"until"`
}

// After is what must be so after it, or soon.
type After struct {
	// Arrives is servers that hold back, to each of which a request comes.
	Arrives Names `json:"arrives"`
	// Left is a server that the clients of the requests that arrived leave.
	Left string `json:"left"`
	// Pending is names of calls that have not ended.
	Pending Names `json:"pending"`
	// Saw is what has come to servers: the number of requests, what the last one had, or for the store, a part of a value.
	Saw map[string]Seen `json:"saw"`
	// Log is, for a scripted call, the beginnings of its log lines, in order: level, space, line. For libraries, it waits for a line
	// with this part, or for as many lines with each part as it says.
	Log *Log `json:"log"`
	// Ran is how often the client has called the plugin since the last step.
	Ran *int `json:"ran"`
}

// Request is what a request has.
type Request struct {
	// Method is GET or POST by default.
	Method string `json:"method"`
	// Path is with the query; by default /jobs or /connect/token.
	Path string `json:"path"`
	Content
}

// Exchange is the next thing that the plugin must ask of its host, and the response: one of the first eight.
type Exchange struct {
	// Token is a token request, with the form of the default config as its body; in short, the access token that it gives, or the
	// status of the response.
	Token *HTTP `json:"token"`
	// Jobs is a request to the service; in short, the access token that it is sent with, or the status.
	Jobs *HTTP `json:"jobs"`
	// Get reads the token in the store; in short, its access token, or `failed` if the store is down.
	Get *StoreOp `json:"get"`
	// Set writes the token, for 3600 seconds by default.
	Set *StoreOp `json:"set"`
	// Lock reads the state of the lock; in short, the state.
	Lock *StoreOp `json:"lock"`
	// Add takes the lock, for 10 seconds by default; in short, whether it was added.
	Add *StoreOp `json:"add"`
	// Unlock writes the lock, for a second by default; in short, the state.
	Unlock *StoreOp `json:"unlock"`
	// Wait is seconds.
	Wait float64 `json:"wait"`
	// Has is the access token that the step of a flow has, or none.
	Has string `json:"has"`
	Offer

	kind string
}

// HTTP is a request in a script, and its response.
type HTTP struct {
	Request
	// With is the access token that the token endpoint gives, or with which the service gets it (default: token-0001).
	With string `json:"with"`
	// ExpiresIn is the lifetime that the token endpoint gives (default: 3600).
	ExpiresIn json.RawMessage `json:"expires_in"`
	// Response is by default a token, or a small JSON body.
	Response *Response `json:"response"`
}

// StoreOp is an operation on the shared store: on the token of the default config's client, or on its lock.
type StoreOp struct {
	// Value is a text, fields that override those of a token object with token-0001, or those of the lock.
	Value json.RawMessage `json:"value"`
	// TTL is in seconds.
	TTL float64 `json:"ttl"`

	op, kind      string // get, add or set; as in Exchange
	short         json.RawMessage
	added, failed bool
}

// Response is what a server responds: a status, or these.
type Response struct {
	Reply
	// Gzip is how often the body is compressed, or `true`: once, if the client accepts that.
	Gzip json.RawMessage `json:"gzip"`
	// Raw is written in place of a response, with what the request has for `REQUEST`, before the connection is closed. What follows
	// `ENDLESS` is repeated until the client leaves.
	Raw *string `json:"raw"`
	// Every is the seconds between two of these, or without these, how long the connection then serves later requests.
	Every float64 `json:"every"`
}
