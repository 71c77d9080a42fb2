// Package run runs a scenario on a host and reports what is wrong.
package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
	"automatic-rostering/tests/conformance/script"
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

// clients counts the clients, so that each has its own name.
var clients atomic.Int64

// course is one scenario on one instance.
type course struct {
	*Host
	scenario *scenario.Scenario
	servers  *script.Servers
	client   string // of a library
	parts    map[string]part
	check
}

// Scenario runs a scenario on h, on a new instance. The error joins everything that differs
// from what is expected.
func Scenario(h *Host, s *scenario.Scenario) error {
	// What this process sends needs no network.
	servers, err := script.Start(h.Process != nil)
	if err != nil {
		return err
	}
	defer servers.Close()
	filled, err := s.With(servers.Addresses)
	if err != nil {
		return err
	}
	c := &course{
		Host: h, scenario: &filled, servers: servers, client: fmt.Sprint("scenario ", clients.Add(1)), parts: map[string]part{},
	}
	ended, err := c.open()
	if ended || err != nil {
		return err
	}
	if h.Library {
		defer h.Do(protocol.Request{Op: "close", Client: c.client})
	}

	for i := range filled.Calls {
		call := &filled.Calls[i]
		for range max(call.Times, 1) {
			wrong, err := c.make(call)
			if err != nil {
				return err
			}
			if len(wrong) > 0 {
				return fmt.Errorf("call %d, %s%s%s: %s", i+1, call.Call, call.Begin, call.Resume, strings.Join(wrong, "\n"))
			}
		}
	}
	return nil
}

// open creates the instance, or opens the client. A library judges the config then, which may be how
// the scenario ends.
func (c *course) open() (ended bool, err error) {
	create := c.create()
	made, err := c.Do(create)
	if err != nil {
		return false, err
	}
	c.check = check{flows: c.Flows || c.Library, client: c.Library, secrets: []string{create.Config["client_secret"]}}
	if first := &c.scenario.Calls[0]; c.Library && made.Error != "" && first.Error != nil {
		return true, joined(c.error(first, made.Error))
	}
	if made.Trap+made.Error+made.Misuse != "" {
		return false, fmt.Errorf("no instance: %s%s%s", made.Trap, made.Error, made.Misuse)
	}
	return false, nil
}

func joined(wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(wrong, "\n"))
}

func (c *course) create() protocol.Request {
	config := c.scenario.FullConfig(c.servers.Addresses)
	if c.Library {
		return c.openLibrary(config)
	}
	r := protocol.Request{Op: "create", Wasm: c.Wasm, WASI: c.WASI, Config: config}
	if !c.Flows {
		r.AllowedHosts = []string{"127.0.0.1"}
	}
	return r
}

// make makes a call of the scenario and returns what is wrong with it.
func (c *course) make(call *scenario.Call) (wrong []string, err error) {
	c.learn(call)
	if call.Partial() {
		return c.part(call)
	}
	c.servers.Expect(call.Exchanges)
	a, err := c.call(call)
	if err != nil {
		return nil, err
	}
	return append(c.servers.Check(), c.check.call(call, a)...), nil
}

func (c *course) call(call *scenario.Call) (protocol.Response, error) {
	switch {
	case c.Library:
		return c.libraryCall(call)
	case call.Call == "flow":
		return c.flow(call)
	case c.Flows && call.RawInput == nil && slices.Contains(scenario.Direct, call.Call):
		return c.inFlows(call)
	}
	return c.export(call.Call, call.FullInput())
}

func (c *course) export(name string, input []byte) (protocol.Response, error) {
	a, err := c.Do(protocol.Request{Op: "call", Export: name, Input: input})
	if c.Observe != nil && err == nil {
		c.Observe(name, input, a)
	}
	return a, err
}

// exportJSON calls an export with an input that is to be encoded.
func (c *course) exportJSON(name string, input any) (protocol.Response, error) {
	b, err := json.Marshal(input)
	if err != nil {
		return protocol.Response{}, err
	}
	return c.export(name, b)
}
