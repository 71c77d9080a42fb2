package play

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// step makes a step, and returns what is wrong.
func (c *course) step(s *rule.Step) error {
	if err := c.prepare(s); err != nil {
		return err
	}
	if err := c.act(s); err != nil {
		return err
	}
	return c.check(s)
}

// prepare sets what servers do.
func (c *course) prepare(s *rule.Step) error {
	var respond []string
	for name, action := range s.Servers {
		server := c.Servers[name]
		if server == nil {
			return errors.New("there is no server " + name)
		}
		switch action.Word {
		case "":
			server.Reply(action.Next, action.Always)
		case "revoke":
			c.Revoke()
		case "silence":
			server.Silence()
		case "hold":
			server.Hold(true)
		case "free":
			server.Hold(false)
		case "release":
			server.Hold(false)
			respond = append(respond, name)
		case "respond":
			respond = append(respond, name)
		default:
			return fmt.Errorf("%s cannot %s", name, action.Word)
		}
	}
	for _, name := range respond { // only when all others do as they are told
		for _, r := range c.arrived[name] {
			r.Respond()
		}
		delete(c.arrived, name)
	}
	return nil
}

// act makes a call or other steps, or ends some.
func (c *course) act(s *rule.Step) error {
	switch {
	case s.Eventually != nil:
		began := time.Now()
		return c.eventually(func() error { return c.step(later(s.Eventually, time.Since(began))) })
	case s.Open+s.Do+s.Begin+s.Resume != "":
		for range max(s.Times, 1) {
			if err := c.call(s); err != nil {
				return err
			}
		}
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
		}
	}
	return nil
}

// check waits for what must be so.
func (c *course) check(s *rule.Step) error {
	for _, server := range s.Arrives {
		r, err := c.Servers[server].Next(c.Patience)
		if err != nil {
			return err
		}
		c.arrived[server] = append(c.arrived[server], r)
	}
	for range max(s.Times, 1) {
		if err := c.stillPending(s.Pending); err != nil {
			return err
		}
	}
	err := c.eventually(func() error { return c.holds(s) })
	delete(c.arrived, s.Left)
	return err
}

// holds returns what is not so, or not yet.
func (c *course) holds(s *rule.Step) error {
	if slices.ContainsFunc(c.arrived[s.Left], (*world.Request).Stays) {
		return errors.New("a client has not left")
	}
	for server, want := range s.Saw {
		count, last, body := c.Servers[server].Saw()
		switch {
		case want.Count != nil && count != *want.Count:
			return fmt.Errorf("%d requests have come to %s, not %d", count, server, *want.Count)
		case want.Request != nil:
			if err := saw(last, body, want.Request); err != nil {
				return fmt.Errorf("the last request to %s: %w", server, err)
			}
		}
		if err := c.Store.Has(want.Part); err != nil {
			return err
		}
	}
	if s.Log != nil {
		return c.hasLogged(s)
	}
	return nil
}

// eventually repeats something until nothing is wrong.
func (c *course) eventually(try func() error) (err error) {
	for late := time.Now().Add(c.Patience); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if err = try(); err == nil {
			return nil
		}
	}
	return err
}

// later is a step after some time. A backoff that another instance had, and that is over by this clock, lasts a second from
// now on. It would not end if the clock stood still.
func later(s *rule.Step, after time.Duration) *rule.Step {
	var now int64
	if json.Unmarshal(s.Now, &now) != nil {
		return s
	}
	copied := *s
	copied.Now = fmt.Append(nil, now+int64(after.Seconds()))
	return &copied
}

// stillPending waits until the adapter has read all requests so far, and wants these to have not ended.
func (c *course) stillPending(names []string) error {
	if names == nil {
		return nil
	}
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

func saw(got *http.Request, body string, want *rule.Request) error {
	switch {
	case got == nil:
		return errors.New("none has come")
	case want.Method != "" && got.Method != want.Method, want.Path != "" && got.RequestURI != want.Path,
		want.Body != nil && body != string(want.Text()):
		return fmt.Errorf("it is %s %s with %.300q", got.Method, got.RequestURI, body)
	}
	return sameHeaders(world.Headers(got), want.Headers)
}

func (c *course) hasLogged(s *rule.Step) error {
	var lines []string
	for _, l := range c.Logs(c.client(cmp.Or(s.Client, "c"))) {
		lines = append(lines, l.Level+" "+l.Line)
	}
	for part, count := range s.Log.Parts {
		n := 0
		for _, line := range lines {
			if strings.Contains(line, part) {
				n++
			}
		}
		if count == nil && n == 0 || count != nil && n != *count {
			return fmt.Errorf("%d lines have %q: %q", n, part, lines)
		}
	}
	return nil
}
