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
	switch {
	case s.Repeat != nil:
		for range s.Repeat.Times {
			if err := c.steps(s.Repeat.Steps); err != nil {
				return err
			}
		}
	case s.Eventually != nil:
		return c.eventually(s.Eventually)
	case s.Open+s.Do+s.Begin+s.Resume != "":
		for range max(s.Times, 1) {
			if err := c.call(s); err != nil {
				return err
			}
		}
	case s.Soon && !c.soon(s):
		return errors.New("it takes as long as a token request may")
	case s.End != "":
		for _, p := range c.sent[s.End] {
			if err := c.judgeEnd(s, p); err != nil {
				return err
			}
		}
		if c.sent[s.End] == nil {
			return errors.New("nothing has this name")
		}
	case s.Cancel != "":
		for _, p := range c.sent[s.Cancel] {
			if a, err := c.Do(protocol.Request{Op: "cancel", Target: p.ID}); err != nil || failed(a) {
				return fmt.Errorf("%s, %w", describe(a), err)
			}
		}
	case s.Log != nil:
		return c.hasLogged(s)
	case s.Pending != nil:
		return c.stillPending(s.Pending)
	default:
		return c.serverStep(s)
	}
	return nil
}

func (c *course) judgeEnd(s *rule.Step, p *protocol.Pending) error {
	a, err := p.Response()
	if err != nil {
		return err
	}
	return c.judge(s, a)
}

// soon waits until a request has ended, or clients have left, for less time than a token request may take.
func (c *course) soon(s *rule.Step) bool {
	stays := func(r *world.Request) bool { return !r.Left() }
	continues := func(p *protocol.Pending) bool { return !ended(p) }
	for late := time.Now().Add(15 * time.Second); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if !slices.ContainsFunc(c.arrived[s.Left], stays) && !slices.ContainsFunc(c.sent[s.End], continues) {
			return true
		}
	}
	return false
}

// eventually repeats a step until nothing is wrong.
func (c *course) eventually(s *rule.Step) (err error) {
	for late := time.Now().Add(world.Patience); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if err = c.step(s); err == nil {
			return nil
		}
	}
	return err
}

// serverStep is a step of a server, or of what it has got.
func (c *course) serverStep(s *rule.Step) error {
	switch {
	case s.Replies != nil:
		c.Servers[s.Replies.Server].Reply(s.Replies)
	case s.Hold != "":
		c.Servers[s.Hold].Hold(true)
	case s.Free != "":
		c.Servers[s.Free].Hold(false)
	case s.Down != "":
		c.Servers[s.Down].Down(true)
	case s.Up != "":
		c.Servers[s.Up].Down(false)
	case s.Arrives != "":
		r, err := c.Servers[s.Arrives].Next()
		c.arrived[s.Arrives] = append(c.arrived[s.Arrives], r)
		return err
	case s.Respond != "":
		for _, r := range c.arrived[s.Respond] {
			r.Respond()
		}
		delete(c.arrived, s.Respond)
	case s.Left != "":
		for _, r := range c.arrived[s.Left] {
			if err := r.WaitUntilLeft(); err != nil {
				return err
			}
		}
		delete(c.arrived, s.Left)
	case s.Stays != "":
		if slices.ContainsFunc(c.arrived[s.Stays], (*world.Request).Left) {
			return errors.New("it has left")
		}
	case s.Requests != nil:
		for server, want := range s.Requests {
			if got := c.Servers[server].Count(); got != want {
				return fmt.Errorf("%d requests have come to %s, not %d", got, server, want)
			}
		}
	case s.Saw != nil:
		return c.saw(s.Saw)
	case s.InStore != nil:
		return c.Store.Wait(s.InStore.Key, s.InStore.Has)
	case s.Put != nil:
		c.Store.Put(s.Put.Key, rule.Repeated(s.Put.Value))
	case s.Expire != "":
		c.Store.Expire(s.Expire)
	default:
		return errors.New("the step says nothing")
	}
	return nil
}

// stillPending waits until the adapter has read all requests so far, and wants these to have not ended.
func (c *course) stillPending(names []string) error {
	if _, err := c.Do(protocol.Request{Op: "versions"}); err != nil {
		return err
	}
	for _, name := range names {
		if i := slices.IndexFunc(c.sent[name], ended); i >= 0 {
			a, err := c.sent[name][i].Response()
			return fmt.Errorf("%s has ended too early, with %s, %w", name, describe(a), err)
		}
	}
	return nil
}

// ended reports whether a request has its response.
func ended(p *protocol.Pending) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

func (c *course) saw(want *rule.Saw) error {
	switch got := c.Servers[want.Server].Last(); {
	case got == nil && want.Maybe:
		return nil
	case got == nil:
		return errors.New("no request has come")
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
