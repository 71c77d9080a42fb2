package play

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
	"automatic-rostering/tests/runner/world"
)

// step makes a step, and returns what is wrong.
func (c *course) step(s *rule.Step) error {
	if err := c.prepareFleet(s); err != nil {
		return err
	}
	c.prepare(s)
	if err := c.act(s); err != nil {
		return err
	}
	return c.check(s)
}

// prepare sets what servers do.
func (c *course) prepare(s *rule.Step) {
	for server, replies := range s.Replies {
		c.Servers[server].Reply(replies...)
	}
	for server, reply := range s.Always {
		c.Servers[server].Always(reply)
	}
	if s.Silence != "" {
		c.Servers[s.Silence].Silence()
	}
	if s.Expire != "" {
		c.Store.Expire(s.Expire)
	}
	for _, server := range s.Hold {
		c.Servers[server].Hold(true)
	}
	for _, server := range s.Free {
		c.Servers[server].Hold(false)
	}
	for _, r := range c.arrived[s.Respond] {
		r.Respond()
	}
	delete(c.arrived, s.Respond)
}

// act makes a call or other steps, or ends some.
func (c *course) act(s *rule.Step) error {
	switch {
	case s.Repeat != nil:
		for range s.Repeat.Times {
			if err := c.steps(s.Repeat.Steps); err != nil {
				return err
			}
		}
	case s.Turns != nil:
		for range c.Fleet.members {
			if err := c.steps(s.Turns); err != nil {
				return err
			}
			c.Fleet.members = append(c.Fleet.members[1:], c.Fleet.members[0])
		}
	case s.Eventually != nil:
		return eventually(func() error { return c.step(s.Eventually) })
	case s.Open+s.Do+s.Begin+s.Resume != "":
		for range max(s.Times, 1) {
			if err := c.call(s); err != nil {
				return err
			}
		}
	case s.Soon && !c.soon(s):
		return errors.New("it takes as long as a token request may")
	case s.Cancel != "":
		for _, p := range c.sent[s.Cancel] {
			if a, err := c.Do(protocol.Request{Op: "cancel", Target: p.ID}); err != nil || failed(a) {
				return fmt.Errorf("%s, %w", describe(a), err)
			}
		}
	}
	return c.ends(s)
}

// ends waits for the end of calls.
func (c *course) ends(s *rule.Step) error {
	adds := 0
	for _, name := range s.End {
		if c.sent[name] == nil {
			return errors.New("nothing has the name " + name)
		}
		for _, p := range c.sent[name] {
			a, err := p.Response()
			if err == nil {
				err = c.judge(s, a)
			}
			if err != nil {
				return err
			}
			if string(a.JSON) == "true" {
				adds++
			}
		}
	}
	if s.Adds != nil && adds != *s.Adds {
		return fmt.Errorf("%d of them added it", adds)
	}
	return nil
}

// check waits for what must be so.
func (c *course) check(s *rule.Step) error {
	for _, server := range s.Arrives {
		r, err := c.Servers[server].Next()
		if err != nil {
			return err
		}
		c.arrived[server] = append(c.arrived[server], r)
	}
	err := eventually(func() error {
		if slices.ContainsFunc(c.arrived[s.Left], (*world.Request).Stays) {
			return errors.New("a client has not left")
		}
		return nil
	})
	if err != nil {
		return err
	}
	delete(c.arrived, s.Left)
	if s.Pending != nil {
		if err := c.stillPending(s.Pending); err != nil {
			return err
		}
	}
	for server, want := range s.Requests {
		if got := c.Servers[server].Count(); got != want {
			return fmt.Errorf("%d requests have come to %s, not %d", got, server, want)
		}
	}
	if s.Tokens != nil {
		if err := c.checkTokens(s); err != nil {
			return err
		}
	}
	for server, want := range s.Saw {
		if err := saw(c.Servers[server].Last(), want); err != nil {
			return fmt.Errorf("the last request to %s: %w", server, err)
		}
	}
	if s.InStore != nil {
		if err := eventually(func() error { return c.Store.Has(s.InStore.Key, s.InStore.Has) }); err != nil {
			return err
		}
	}
	if s.Log != nil {
		return eventually(func() error { return c.hasLogged(s) }) // a line may come after the response
	}
	return nil
}

// soon waits until a request has ended, or clients have left, for less time than a token request may take.
func (c *course) soon(s *rule.Step) bool {
	continues := func(p *protocol.Pending) bool { return !p.Ended() }
	for late := time.Now().Add(15 * time.Second); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if !slices.ContainsFunc(c.arrived[s.Left], (*world.Request).Stays) &&
			!slices.ContainsFunc(s.End, func(name string) bool { return slices.ContainsFunc(c.sent[name], continues) }) {
			return true
		}
	}
	return false
}

// eventually repeats something until nothing is wrong.
func eventually(try func() error) (err error) {
	for late := time.Now().Add(world.Patience); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if err = try(); err == nil {
			return nil
		}
	}
	return err
}

// stillPending waits until the adapter has read all requests so far, and wants these to have not ended.
func (c *course) stillPending(names []string) error {
	if _, err := c.Do(protocol.Request{Op: "cancel"}); err != nil {
		return err
	}
	for _, name := range names {
		if i := slices.IndexFunc(c.sent[name], (*protocol.Pending).Ended); i >= 0 {
			a, err := c.sent[name][i].Response()
			return fmt.Errorf("%s has ended too early, with %s, %w", name, describe(a), err)
		}
	}
	return nil
}

func saw(got *rule.Saw, want rule.Saw) error {
	switch {
	case got == nil && want.Maybe:
		return nil
	case got == nil:
		return errors.New("none has come")
	case want.Method != "" && got.Method != want.Method:
		return errors.New("the method is " + got.Method)
	case want.Path != "" && got.Path != want.Path:
		return errors.New("the path is " + got.Path)
	case want.Body != nil && *got.Body != *want.Body:
		return fmt.Errorf("the body is %.300q", *got.Body)
	default:
		return sameHeaders(got.Headers, want.Headers)
	}
}

func (c *course) hasLogged(s *rule.Step) error {
	n := 0
	var lines []string
	for _, l := range c.Logs(c.client(cmp.Or(s.Client, "c"))) {
		lines = append(lines, l.Level+" "+l.Line)
		if (s.Log.Level == "" || l.Level == s.Log.Level) && strings.Contains(l.Line, s.Log.Has) {
			n++
		}
	}
	if s.Log.Count == nil && n > 0 || s.Log.Count != nil && n == *s.Log.Count {
		return nil
	}
	return fmt.Errorf("%d lines are so: %q", n, lines)
}
