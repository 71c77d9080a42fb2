// Package suite tries the client libraries through their adapters: see tests/adapters. What they
// must do is data, the rows of docs/sdk.md in tests/rows, whose README documents their form.
package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"go.yaml.in/yaml/v3"

	"automatic-rostering/tests/conformance/protocol"
)

// Row is a rule for all libraries.
type Row struct {
	Name string `yaml:"row"`
	// Rule is its text in docs/sdk.md; a row without one is shown there by another.
	Rule string `yaml:"rule"`
	// Native says, by language, which test of its own shows it, for what only a language can show.
	Native map[string]string `yaml:"native"`
	// Differences are the libraries that do otherwise, by language, each with the reason.
	Differences map[string]string `yaml:"differences"`
	Cases       []Case            `yaml:"cases"`
	// Broken are changes of the Go library, with each of which alone a case fails: make broken.
	Broken []Patch `yaml:"broken"`
}

// Patch replaces a text that occurs once in a file of the Go library.
type Patch struct {
	File string `yaml:"file"` // from the root of the repository
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

// Case is one course of events with new servers.
type Case struct {
	Name        string            `yaml:"case"`
	Differences map[string]string `yaml:"differences"`
	// Slow says that it waits for a timeout: it runs beside the others.
	Slow bool `yaml:"slow"`
	// Stores has it played with a store of each of these kinds, for the kind each.
	Stores []string `yaml:"stores"`
	Steps  []Step   `yaml:"steps"`
}

// Step is something that happens: one of the fields in the first part.
type Step struct {
	Open     *string        `yaml:"open"`     // opens the client of that name
	Do       string         `yaml:"do"`       // sends a request of this op to Client
	End      string         `yaml:"end"`      // waits for the end of the requests with this name
	Cancel   string         `yaml:"cancel"`   // cancels them
	Pending  []string       `yaml:"pending"`  // none of these has ended
	Replies  *Replies       `yaml:"replies"`  // what a server responds
	Hold     string         `yaml:"hold"`     // the server holds its responses back
	Free     string         `yaml:"free"`     // it does not any more
	Down     string         `yaml:"down"`     // the server responds 503
	Up       string         `yaml:"up"`       // it does not any more
	Arrives  string         `yaml:"arrives"`  // waits for a request that is held back
	Respond  string         `yaml:"respond"`  // sends the responses to those that arrived
	Left     string         `yaml:"left"`     // waits until their clients have left
	Stays    string         `yaml:"stays"`    // their clients have not left
	Soon     bool           `yaml:"soon"`     // End or Left comes before a token request times out
	Requests map[string]int `yaml:"requests"` // so many requests have come to a server
	Saw      *Saw           `yaml:"saw"`      // the last request to a server
	InStore  *Stored        `yaml:"in_store"` // waits until the store has it
	Expire   string         `yaml:"expire"`   // the store's keys with this part expire
	Put      *Put           `yaml:"put"`      // puts a value into the store
	Log      *Logged        `yaml:"log"`      // what the client has logged
	Until    *Step          `yaml:"until"`    // repeats a step until what it wants is true
	Repeat   *Repeat        `yaml:"repeat"`   // repeats steps

	// For Open and Do.
	Client string            `yaml:"client"` // default: c
	As     string            `yaml:"as"`     // the name of the request, or of several; it is not awaited
	Config map[string]string `yaml:"config"` // merged into the default one; "" removes a key
	// Variables are ROSTERING_*, merged as Config, in place of it.
	Variables map[string]string `yaml:"variables"`
	MaxBody   *int64            `yaml:"max_body"`
	UserAgent string            `yaml:"user_agent"`
	Wasm      string            `yaml:"wasm"`   // a file of the repository
	Plugin    *Plugin           `yaml:"plugin"` // in place of Wasm
	Store     *protocol.Store   `yaml:"store"`
	LogMode   string            `yaml:"log_handler"`
	Headers   map[string]string `yaml:"headers"`
	Secret    string            `yaml:"secret"`
	Timeout   any               `yaml:"timeout"` // seconds, or none
	At        int64             `yaml:"at"`      // the client's time, in seconds since the beginning
	Customer  any               `yaml:"customer_id"`
	User      any               `yaml:"user_id"`
	Request   *Request          `yaml:"request"`
	Force     bool              `yaml:"force"`
	Refused   string            `yaml:"refused"`
	Token     map[string]any    `yaml:"token"`
	Retry     *protocol.Retry   `yaml:"retry"`
	Op        string            `yaml:"op"` // of Do: store
	Key       string            `yaml:"key"`
	Value     string            `yaml:"value"`
	TTL       float64           `yaml:"ttl"`

	// Want is how the request ends; without it, successfully.
	Want *Want `yaml:"want"`
}

// Request is the HTTP request of a call.
type Request struct {
	Method  string            `yaml:"method"`
	Path    *string           `yaml:"path"`
	URL     string            `yaml:"url"`
	Headers map[string]string `yaml:"headers"`
	Query   map[string]string `yaml:"query"`
	JSON    any               `yaml:"json"`
	Body    *string           `yaml:"body"`
	Once    bool              `yaml:"once"`
}

// Replies are a server's next responses; after them, it responds as by default.
type Replies struct {
	Server string  `yaml:"server"` // auth, service, store or other
	With   []Reply `yaml:"with"`
}

// Reply is a response.
type Reply struct {
	Times   int               `yaml:"times"` // default: 1; -1: always
	Status  int               `yaml:"status"`
	Headers map[string]string `yaml:"headers"`
	Body    string            `yaml:"body"`
	Gzip    bool              `yaml:"gzip"` // if the client accepts it
	Drop    bool              `yaml:"drop"` // closes the connection
}

// Saw is what a request had.
type Saw struct {
	Server  string            `yaml:"server"`
	Method  string            `yaml:"method"`
	Path    string            `yaml:"path"`
	Headers map[string]string `yaml:"headers"` // "" is none
	Body    *string           `yaml:"body"`
	Maybe   bool              `yaml:"maybe"` // if there was one
}

// Stored is a value in the store.
type Stored struct {
	Key string `yaml:"key"` // a part of its key
	Has string `yaml:"has"` // a part of it
}

// Put is a value for the store.
type Put struct {
	Key   string `yaml:"key"`
	Value string `yaml:"value"`
}

// Logged is what lines of a client's log there are.
type Logged struct {
	Level string `yaml:"level"`
	Has   string `yaml:"has"`
	Count *int   `yaml:"count"` // default: at least one
}

// Repeat repeats steps.
type Repeat struct {
	Times int    `yaml:"times"`
	Steps []Step `yaml:"steps"`
}

// Want is how a request ends. What is not there does not matter, but for an error.
type Want struct {
	Status  int               `yaml:"status"`
	Headers map[string]string `yaml:"headers"`
	Body    *string           `yaml:"body"`
	// Got is what the service's default response says of the request.
	Got      map[string]any `yaml:"got"`
	Token    string         `yaml:"token"`
	Error    map[string]any `yaml:"error"` // with null for a field that it may not have
	Message  string         `yaml:"message"`
	Text     []string       `yaml:"text"`
	Cause    bool           `yaml:"cause"`
	Misuse   bool           `yaml:"misuse"`
	Closed   bool           `yaml:"closed"`
	Canceled bool           `yaml:"canceled"`
	Fails    bool           `yaml:"fails"` // in any way
	Value    *string        `yaml:"value"`
	Added    *bool          `yaml:"added"`
	NoValue  bool           `yaml:"no_value"`
	// Known is what the status has, with null for a field that it must not have.
	Known map[string]any `yaml:"known"`
}

// Load reads all rows of a folder.
func Load(folder fs.FS) (rows []Row, err error) {
	files, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		b, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		decoder := yaml.NewDecoder(bytes.NewReader(b))
		decoder.KnownFields(true)
		var some []Row
		if err := decoder.Decode(&some); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", path.Base(file), err)
		}
		rows = append(rows, some...)
	}
	return rows, nil
}
