// Package run runs a scenario on a host and reports what is wrong.
package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
)

// Adapter takes the requests of the protocol.
type Adapter interface {
	Do(protocol.Request) (protocol.Response, error)
}

// Host is a host under test.
type Host struct {
	Adapter
	// Process is the adapter, unless the host is the core, which needs none.
	Process *protocol.Process
	// Servers are those for which its scenarios are loaded.
	Servers *Servers
	// Wasm is the build that it loads, and WASI whether that imports WASI.
	Wasm string
	WASI bool
	// Flows says that the runner makes direct calls by flows, with the plugin's own HTTP switched off;
	// Library, that a client of a library makes them.
	Flows, Library bool
	// Observe is called with each call of an export, to check more than the scenario
	// does; it may be nil.
	Observe func(export string, input []byte, response protocol.Response)
}

// Versions names what runs, with its versions.
func (h *Host) Versions() (string, error) {
	a, err := h.Do(protocol.Request{Op: "versions"})
	if err == nil && a.Versions == "" {
		err = fmt.Errorf("the host does not name its versions: %+v", a)
	}
	return a.Versions, err
}

// Create returns the request for an instance of the plugin that may send requests to loopback.
func (h *Host) Create(config map[string]string) protocol.Request {
	return protocol.Request{Op: "create", Wasm: h.Wasm, WASI: h.WASI, Config: config, AllowedHosts: []string{"127.0.0.1"}}
}

// clients counts the clients, so that each has its own name.
var clients atomic.Int64

// course is one scenario on one instance.
type course struct {
	*Host
	scenario *scenario.Scenario
	client   string // of a library
	parts    map[string]part
	secrets  []string // all that must not be shown, so far
}

// Scenario runs a scenario on h, on a new instance. The error joins everything that differs
// from what is expected.
func Scenario(h *Host, s *scenario.Scenario) error {
	c := &course{
		Host: h, scenario: s, client: fmt.Sprint("scenario ", clients.Add(1)), parts: map[string]part{},
		secrets: []string{s.Config["client_secret"]},
	}
	create := h.Create(s.Config)
	if h.Library {
		create = c.openLibrary()
	} else if h.Flows {
		create.AllowedHosts = nil
	}
	made, err := h.Do(create)
	switch {
	case err != nil:
		return err
	case h.Library && made.Error != "" && s.Calls[0].Error != nil:
		return sameError(&s.Calls[0], []byte(made.Error)) // a library judges the config when it opens a client
	case made.Trap+made.Error+made.Misuse != "":
		return fmt.Errorf("no instance: %s%s%s", made.Trap, made.Error, made.Misuse)
	}
	if h.Library {
		defer h.Do(protocol.Request{Op: "close", Client: c.client})
	}
	for i := range s.Calls {
		call := &s.Calls[i]
		for range max(call.Times, 1) {
			if err := c.make(call); err != nil {
				return fmt.Errorf("call %d, %s%s%s: %w", i+1, call.Call, call.Begin, call.Resume, err)
			}
		}
	}
	return nil
}

// make makes a call of the scenario and returns what is wrong with it.
func (c *course) make(call *scenario.Call) error {
	c.learn(call)
	if call.Begin+call.Resume != "" {
		return c.part(call)
	}
	c.Servers.Expect(call.Exchanges...)
	a := c.call(call)
	return errors.Join(c.Servers.Check(), c.check(call, a))
}

func (c *course) call(call *scenario.Call) protocol.Response {
	switch {
	case c.Library:
		return c.libraryCall(call)
	case call.Call == "flow":
		_, a := c.toEnd(call, c.begin(call), true)
		return a
	case call.RawInput != nil:
		return c.exportText(call.Call, []byte(*call.RawInput))
	case c.Flows && slices.Contains(scenario.Direct, call.Call):
		return c.inFlows(call)
	}
	return c.export(call.Call, call.FullInput())
}

// export calls an export with an input that is to be encoded.
func (c *course) export(name string, input any) protocol.Response {
	b, err := json.Marshal(input)
	if err != nil {
		return broken(err)
	}
	return c.exportText(name, b)
}

func (c *course) exportText(name string, input []byte) protocol.Response {
	a, err := c.Do(protocol.Request{Op: "call", Export: name, Input: input})
	if err != nil {
		return broken(err)
	}
	if c.Observe != nil {
		c.Observe(name, input, a)
	}
	return a
}
