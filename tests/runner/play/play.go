// Package play plays the cases of the rules on players: the core, raw hosts and client libraries.
package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// Adapter takes the requests of the protocol.
type Adapter interface {
	Send(protocol.Request) (*protocol.Pending, error)
	// Logs are the lines that a client has logged so far.
	Logs(client string) []protocol.Log
}

// Player plays cases.
type Player struct {
	Adapter
	// Process is the adapter, unless the player is the core, which needs none.
	Process *protocol.Process
	// Wasm is the build that a raw host loads, and WASI whether that imports WASI.
	Wasm string
	WASI bool
	// Flows says that direct calls are made by flows, with the plugin's own HTTP switched off; Library, that a client of a
	// library makes them.
	Flows, Library bool
	// Observe is called with each call of an export, to check more than the case does; it may be nil.
	Observe func(export string, input []byte, response protocol.Response)
	// Redis starts Redis, if needed, and returns its URL.
	Redis func() (string, error)
}

// Do sends a request and waits for its response.
func (p *Player) Do(r protocol.Request) (protocol.Response, error) {
	pending, err := p.Send(r)
	if err != nil {
		return protocol.Response{}, err
	}
	return pending.Response()
}

// course is one case on one player.
type course struct {
	*Player
	*world.World
	one     *rule.Case
	name    string   // begins the names of the clients
	secrets []string // all that must not be shown, so far
	logged  int      // lines of the log before the call of a raw host
	called  int      // how often the client had called the plugin after the last step

	flows   map[string]map[string]any // the inputs with which they are resumed
	sent    map[string][]*protocol.Pending
	clients []string
	arrived map[string][]*world.Request
}

var courses atomic.Int64

// Case plays a case in a world. The error joins all that differs from what is expected.
func (p *Player) Case(w *world.World, unfilled *rule.Case) error {
	one, err := w.Fill(unfilled)
	if err != nil {
		return err
	}
	c := &course{
		Player: p, World: w, one: one, name: fmt.Sprint("case ", courses.Add(1)),
		secrets: []string{rule.Secret, rule.TokenPrefix + "0"}, flows: map[string]map[string]any{},
		sent: map[string][]*protocol.Pending{}, arrived: map[string][]*world.Request{},
	}
	if secret := one.Config["client_secret"]; secret != nil {
		c.secrets[0] = *secret
	}
	defer c.end()
	if c.one.Scripted() {
		if done, err := c.begin(&one.Steps[0]); done || err != nil {
			return err
		}
	} else if !slices.ContainsFunc(one.Steps, func(s rule.Step) bool { return s.Open != "" }) {
		if err := c.step(&rule.Step{Act: rule.Act{Open: "c"}}); err != nil {
			return err
		}
	}
	before := 0
	if p.Process != nil && one.Memory > 0 {
		before = memoryOf(p.Process.PID())
	}
	if err := errors.Join(c.steps(one.Steps), c.logsShowNothing()); err != nil || before == 0 {
		return err
	}
	if grown := (memoryOf(p.Process.PID()) - before) >> 20; grown > one.Memory {
		return fmt.Errorf("the adapter took %d MiB", grown)
	}
	return nil
}

// end closes the clients.
func (c *course) end() {
	for _, client := range c.clients {
		_, _ = c.Do(protocol.Request{Op: "close", Client: client, Fields: map[string]any{"timeout": 0.1, "forget": true}})
	}
}

// begin makes the instance or the client of a scripted case. It is done if a library, which judges the config when it opens
// a client, rejects that as the first call must.
func (c *course) begin(first *rule.Step) (done bool, err error) {
	r := protocol.Request{Op: "open", Wasm: c.Wasm, WASI: c.WASI, Config: merged(c.World.Config(), c.one.Config)}
	switch {
	case c.Library:
		fields := map[string]any{"variables": Variables(r.Config), "now": rule.Start}
		r = protocol.Request{Op: "open", Client: c.client("c"), Fields: fields}
		c.clients = append(c.clients, r.Client)
	case !c.Flows:
		r.AllowedHosts = []string{"127.0.0.1"}
	}
	made, err := c.Do(r)
	switch {
	case err != nil:
		return true, err
	case c.Library && made.Error != "" && first.Error != nil:
		return true, c.outcome(first, made)
	case failed(made):
		return true, errors.New("no instance: " + describe(made))
	}
	c.logged = len(c.Logs(""))
	return false, nil
}

// logsShowNothing wants no secret in the logs of the clients.
func (c *course) logsShowNothing() error {
	for _, client := range c.clients {
		for _, l := range c.Logs(client) {
			if c.shows(l.Line) {
				return errors.New("a log line shows a secret")
			}
		}
	}
	return nil
}

// steps makes steps one after the other.
func (c *course) steps(steps []rule.Step) error {
	for i := range steps {
		if err := c.step(&steps[i]); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, steps[i].Source, err)
		}
	}
	return nil
}

// call makes a call, and returns what is wrong with it.
func (c *course) call(s *rule.Step) error {
	if c.one.Scripted() {
		c.Script.Expect(s.Exchanges...)
	}
	var a protocol.Response
	whole := true
	switch {
	case c.Library:
		return c.send(s)
	case s.IsFlow():
		a, whole = c.flow(s)
	case s.Input.Text != nil:
		a = c.exportText(s.Do, []byte(rule.Repeated(*s.Input.Text)))
	case c.Flows && slices.Contains(rule.Direct, s.Do):
		a = c.inFlows(s)
	default:
		a = c.export(s.Do, s.FullInput())
	}
	if !whole {
		return errors.Join(c.Script.Check(), c.also(s, a))
	}
	return errors.Join(c.Script.Check(), c.judge(s, a))
}

// send makes a call of a library.
func (c *course) send(s *rule.Step) error {
	r, err := c.request(s)
	if err != nil {
		return err
	}
	if r.Op == "open" && !slices.Contains(c.clients, r.Client) {
		c.clients = append(c.clients, r.Client)
	}
	p, err := c.Send(r)
	if err != nil {
		return err
	}
	if s.As != "" {
		c.sent[s.As] = append(c.sent[s.As], p)
		return nil
	}
	a, err := p.Response()
	if err != nil {
		return err
	}
	return errors.Join(c.Script.Check(), c.judge(s, a))
}

// export calls an export with an input that is to be encoded.
func (c *course) export(name string, input any) protocol.Response {
	b, err := json.Marshal(input)
	if err != nil {
		return broken(err)
	}
	return c.exportText(name, []byte(rule.Repeated(string(b))))
}

// exportText calls an export. The response has the log lines since the call before.
func (c *course) exportText(name string, input []byte) protocol.Response {
	a, err := c.Do(protocol.Request{Op: "call", Export: name, Input: input})
	if err != nil {
		return broken(err)
	}
	lines := c.Logs("")
	a.Logs, c.logged = lines[min(c.logged, len(lines)):], len(lines)
	if c.Observe != nil {
		c.Observe(name, input, a)
	}
	return a
}

func failed(a protocol.Response) bool {
	return a.Error+a.Text != ""
}

// broken is the response of a player that does not keep to the protocol or the contract.
func broken(err error) protocol.Response { return protocol.Response{Error: err.Error()} }
