// Package run runs a scenario on a host and reports what is wrong.
package run

import (
	"encoding/json"
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
	// Steps says that whole calls are made by begin and resume, with the plugin's own HTTP
	// switched off; Drives, that a client of the language's library does that, else the
	// runner does.
	Steps, Drives bool
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

// longestWait is the most that a scenario's calls may wait in sum, in seconds, for a
// library to make them: it waits indeed.
const longestWait = 2

// ofSteps reports whether a call is a step of one: a library has no such calls.
func ofSteps(c scenario.Call) bool { return c.Partial() || c.Call == "begin" || c.Call == "resume" }

// instances counts the instances, so that each has its own name.
var instances atomic.Int64

// course is one scenario on one instance.
type course struct {
	*Host
	scenario *scenario.Scenario
	servers  *script.Servers
	instance string
	drives   bool // the library makes the whole calls
	flows    map[string]flow
	check
}

// Scenario runs a scenario on h, on a new instance. The error joins everything that differs
// from what is expected.
func Scenario(h *Host, s *scenario.Scenario) error {
	if h.Steps {
		inSteps, err := s.ForSteps()
		if err != nil {
			return err
		}
		s = &inSteps
	}
	drives := h.Drives && s.Waits() <= longestWait && !slices.ContainsFunc(s.Calls, ofSteps)
	// What this process sends needs no network.
	servers, err := script.Start(h.Process != nil && (drives || !h.Steps))
	if err != nil {
		return err
	}
	defer servers.Close()
	filled, err := s.With(servers.Addresses)
	if err != nil {
		return err
	}
	c := &course{
		Host: h, scenario: &filled, servers: servers, instance: fmt.Sprint("scenario ", instances.Add(1)), flows: map[string]flow{},
		drives: drives,
	}
	ended, err := c.open()
	if ended || err != nil {
		return err
	}
	defer h.Do(protocol.Request{Op: "close", Instance: c.instance})

	for i := range filled.Calls {
		call := &filled.Calls[i]
		for range max(call.Times, 1) {
			wrong, err := c.make(call)
			if err != nil {
				return err
			}
			if len(wrong) > 0 {
				return fmt.Errorf("call %d, %s%s: %s", i+1, call.Call, call.Resume, strings.Join(wrong, "\n"))
			}
		}
	}
	return nil
}

// open creates the instance. A library judges config when it opens: either that is how the
// scenario begins, and with it ends, or the runner makes the calls itself.
func (c *course) open() (ended bool, err error) {
	create := c.create()
	made, err := c.Do(create)
	if err != nil {
		return false, err
	}
	c.check = check{steps: c.Steps, secrets: []string{create.Config["client_secret"]}}
	refused := made.Error
	if refused != "" && c.drives {
		if first := &c.scenario.Calls[0]; first.Error != nil && c.error(first, made) == nil {
			return true, nil
		}
		c.drives = false
		if made, err = c.Do(c.create()); err != nil {
			return false, err
		}
	}
	if made.Trap+made.Error != "" {
		return false, fmt.Errorf("no instance: %s%s", made.Trap, made.Error)
	}
	c.check.client = c.drives
	c.skipsLogs = c.client && c.scenario.Accepts == nil
	if refused != "" {
		if a, err := c.export("check", nil); err != nil || sameJSON([]byte(plain(refused)), []byte(plain(a.Error))) != nil {
			return false, fmt.Errorf("the library refuses to open with %s, check with %s (%v)", refused, a.Error, err)
		}
	}
	return false, nil
}

func (c *course) create() protocol.Request {
	r := protocol.Request{
		Op: "create", Instance: c.instance, Wasm: c.Wasm, WASI: c.WASI, Config: c.scenario.FullConfig(c.servers.Addresses),
	}
	switch {
	case c.drives:
		r.Client = true
		if slices.Contains(c.scenario.Accepts, "store") {
			r.Store = c.servers.StoreURL
		}
	case !c.Steps:
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
	c.servers.Expect(c.expected(call))
	a, err := c.call(call)
	if err != nil {
		return nil, err
	}
	return append(c.servers.Check(), c.check.call(call, a)...), nil
}

// expected are the exchanges that can be seen: a library's waits cannot.
func (c *course) expected(call *scenario.Call) []scenario.Exchange {
	if !c.drives {
		return call.Exchanges
	}
	return slices.DeleteFunc(slices.Clone(call.Exchanges), func(e scenario.Exchange) bool { return e.Wait != "" })
}

func (c *course) call(call *scenario.Call) (protocol.Response, error) {
	input := call.FullInput()
	// Raw input is refused mostly, and may not be JSON, to stand in that of begin.
	refused := call.RawInput != nil && len(call.Exchanges) == 0
	switch {
	case !c.Steps || !slices.Contains(scenario.Whole, call.Call) || refused:
		return c.export(call.Call, input)
	case c.drives:
		r := protocol.Request{Op: "drive", Instance: c.instance, Export: call.Call, Input: input}
		if call.Body != nil {
			r.Body = []byte(*call.Body)
		}
		return c.Do(r)
	}
	return c.drive(call, input)
}

func (c *course) export(name string, input []byte) (protocol.Response, error) {
	a, err := c.Do(protocol.Request{Op: "call", Instance: c.instance, Export: name, Input: input})
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
