package play

import (
	"cmp"
	"fmt"
	"syscall"

	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// Fleet is an adapter whose clients are separate processes.
type Fleet struct {
	// Processes is how many there are at first; Start starts one more, of which n are there.
	Processes int
	Start     func(n int) (*protocol.Process, error)
	Redis     *world.Redis
	// Logf shows how many tokens were requested.
	Logf func(format string, values ...any)

	processes map[string]*protocol.Process // by client
	members   []string                     // the names of clients in the case, but those that were killed
	tokens    int                          // how many were requested at the last look
}

// Send sends a request to the process of its client, which starts when it opens. Without a client, it waits for all.
func (f *Fleet) Send(r protocol.Request) (*protocol.Pending, error) {
	if r.Op == "open" {
		p, err := f.Start(len(f.processes))
		if err != nil {
			return nil, err
		}
		if f.processes == nil {
			f.processes = map[string]*protocol.Process{}
		}
		f.processes[r.Client] = p
	}
	if r.Client != "" {
		return f.processes[r.Client].Send(r)
	}
	for _, p := range f.processes {
		if _, err := p.Do(r); err != nil && !p.Broken() {
			return nil, err
		}
	}
	return protocol.Responded(protocol.Response{}), nil
}

// Logs are the lines that a client has logged so far.
func (f *Fleet) Logs(client string) []protocol.Log {
	if p := f.processes[client]; p != nil { // it may not have started
		return p.Logs(client)
	}
	return nil
}

// Close ends the processes.
func (f *Fleet) Close() {
	for _, p := range f.processes {
		_ = p.Close()
	}
}

var signals = map[string]syscall.Signal{"kill": syscall.SIGKILL, "stop": syscall.SIGSTOP, "continue": syscall.SIGCONT}

// prepareFleet has Redis or the first process of a fleet do something.
func (c *course) prepareFleet(who, what string) error {
	signal, is := signals[what]
	switch {
	case c.Fleet == nil:
	case who == "first" && is:
		first := c.Fleet.members[0]
		if signal == syscall.SIGKILL {
			c.Fleet.members = c.Fleet.members[1:]
		}
		return syscall.Kill(c.Fleet.processes[c.client(first)].PID(), signal)
	case who == "redis" && is:
		return c.Fleet.Redis.Signal(signal)
	case who == "redis" && what == "start":
		c.Fleet.Redis.End()
		return c.Fleet.Redis.Start()
	case who == "redis" && what == "fill":
		return c.Fleet.Redis.Limit(1)
	case who == "redis" && what == "free":
		return c.Fleet.Redis.Limit(0)
	}
	return fmt.Errorf("%s cannot %s", who, what)
}

// group is the clients for which the name in a step stands, or nil.
func (c *course) group(s *rule.Step) (names []string) {
	if c.Fleet == nil {
		return nil
	}
	switch {
	case s.Open == "each":
		for n := range c.Fleet.Processes {
			names = append(names, fmt.Sprint("process ", n+1))
		}
	case s.Client == "each":
		return c.Fleet.members
	case s.Client == "first":
		return c.Fleet.members[:1]
	case s.Client == "others":
		return c.Fleet.members[1:]
	}
	return names
}

// callAll makes a call of several clients at the same time, or opens them.
func (c *course) callAll(s *rule.Step, clients []string) error {
	each := *s
	each.As = cmp.Or(s.As, fmt.Sprint("of all ", len(c.sent)))
	for _, name := range clients {
		if each.Client = name; s.Open != "" {
			each.Open = name
		}
		if err := c.send(&each); err != nil {
			return err
		}
	}
	if s.As != "" {
		return nil
	}
	each.End = rule.Names{each.As}
	return c.ends(&each)
}

// checkTokens wants so many token requests since it was last called.
func (c *course) checkTokens(s *rule.Step) error {
	all, _, _ := c.Servers["auth"].Saw()
	want := s.Tokens
	got := all - c.Fleet.tokens
	if want.Each {
		got -= len(c.Fleet.members)
	}
	c.Fleet.Logf("%d processes, %d token requests: %s", len(c.Fleet.members), all-c.Fleet.tokens, s.Source)
	c.Fleet.tokens = all
	if got < want.Least || got > want.Most {
		return fmt.Errorf("%d processes made %d token requests, or so many more than one each", len(c.Fleet.members), got)
	}
	return nil
}
