package suite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
)

// Runner plays cases on a library.
type Runner struct {
	Adapter Adapter
	// Redis returns the URL of a Redis server.
	Redis func(testing.TB) string
}

// Run plays a case, whose clients have names that begin with name, with this kind of the store each.
func (r Runner) Run(t testing.TB, name, kind string, c *Case) {
	w := newWorld(t, r.Adapter, name, kind, r.Redis)
	defer func() {
		for _, client := range w.clients {
			_, _ = w.do(protocol.Request{Op: "close", Client: client, Call: protocol.Call{Timeout: json.RawMessage("0.1")}})
		}
	}()
	w.steps(c.Steps)
}

// kinds are the names under which the case is played, each with the kind of the store each.
func (c *Case) kinds() map[string]string {
	if c.Stores == nil {
		return map[string]string{c.Name: ""}
	}
	all := map[string]string{}
	for _, kind := range c.Stores {
		all[c.Name+", "+kind] = kind
	}
	return all
}

func (w *world) steps(steps []Step) {
	w.Helper()
	for i := range steps {
		s := &steps[i]
		if wrong := w.step(s); wrong != "" {
			text, _ := json.Marshal(given(s))
			w.Fatalf("step %d, %s: %s", i+1, text, wrong)
		}
	}
}

// given has what is set of a step.
func given(of any) any {
	b, _ := json.Marshal(of)
	var all any
	_ = json.Unmarshal(b, &all)
	fields, ok := all.(map[string]any)
	if !ok {
		return all
	}
	for name, value := range fields {
		if value = given(value); value == nil || value == "" || value == 0.0 || value == false {
			delete(fields, name)
		} else {
			fields[name] = value
		}
	}
	return fields
}

// step makes a step, and returns what is wrong.
func (w *world) step(s *Step) (wrong string) {
	w.Helper()
	switch {
	case s.Repeat != nil:
		for range s.Repeat.Times {
			w.steps(s.Repeat.Steps)
		}
	case s.Until != nil:
		return w.until(s.Until)
	case s.Open != nil, s.Do != "":
		return w.send(s)
	case s.Soon && !w.soon(s):
		return "it takes as long as a token request may"
	case s.End != "":
		for _, p := range w.sent[s.End] {
			a, err := p.Response()
			if wrong = w.outcome(s.Want, a, err); wrong != "" {
				return wrong
			}
		}
	case s.Cancel != "":
		for _, p := range w.sent[s.Cancel] {
			a, err := w.do(protocol.Request{Op: "cancel", Target: p.ID})
			if wrong = w.outcome(nil, a, err); wrong != "" {
				return wrong
			}
		}
	case s.Log != nil:
		return w.logged(s)
	default:
		return w.serverStep(s)
	}
	return ""
}

// soon waits until a request has ended, or clients have left, for less time than a token request may take.
func (w *world) soon(s *Step) bool {
	stays := func(r *held.Request) bool { return !r.Left() }
	goesOn := func(p *protocol.Pending) bool { return !ended(p) }
	for late := time.Now().Add(15 * time.Second); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if !slices.ContainsFunc(w.arrived[s.Left], stays) && !slices.ContainsFunc(w.sent[s.End], goesOn) {
			return true
		}
	}
	return false
}

// until repeats a step until nothing is wrong.
func (w *world) until(s *Step) (wrong string) {
	w.Helper()
	for late := time.Now().Add(held.Patience); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if wrong = w.step(s); wrong == "" {
			return ""
		}
	}
	return wrong
}

// serverStep is a step of a server or of what it has got.
func (w *world) serverStep(s *Step) string {
	w.Helper()
	switch {
	case s.Pending != nil:
		return w.stillPending(s.Pending)
	case s.Replies != nil:
		w.servers[s.Replies.Server].set(s.Replies.With)
	case s.Hold != "":
		w.servers[s.Hold].Hold(true)
	case s.Free != "":
		w.servers[s.Free].Hold(false)
	case s.Down != "":
		w.servers[s.Down].Down(true)
	case s.Up != "":
		w.servers[s.Up].Down(false)
	case s.Arrives != "":
		w.arrived[s.Arrives] = append(w.arrived[s.Arrives], w.servers[s.Arrives].Next())
	case s.Respond != "":
		for _, r := range w.arrived[s.Respond] {
			r.Respond()
		}
		delete(w.arrived, s.Respond)
	case s.Left != "":
		for _, r := range w.arrived[s.Left] {
			r.WaitUntilLeft()
		}
		delete(w.arrived, s.Left)
	case s.Stays != "":
		if slices.ContainsFunc(w.arrived[s.Stays], (*held.Request).Left) {
			return "it has left"
		}
	case s.Requests != nil:
		for server, want := range s.Requests {
			if got := w.servers[server].Count(); got != want {
				return fmt.Sprintf("%d requests have come to %s, not %d", got, server, want)
			}
		}
	case s.Saw != nil:
		return w.saw(s.Saw)
	case s.InStore != nil:
		w.store.Wait(s.InStore.Key, s.InStore.Has)
	case s.Put != nil:
		w.store.Put(w.fill(s.Put.Key), w.fill(s.Put.Value))
	case s.Expire != "":
		w.store.Expire(s.Expire)
	default:
		return "the step says nothing"
	}
	return ""
}

// stillPending waits until the adapter has read all requests so far, and wants these to have not ended.
func (w *world) stillPending(names []string) string {
	if _, err := w.do(protocol.Request{Op: "versions"}); err != nil {
		return err.Error()
	}
	for _, name := range names {
		if i := slices.IndexFunc(w.sent[name], ended); i >= 0 {
			a, err := w.sent[name][i].Response()
			return fmt.Sprintf("%s has ended too early, with %+v, %v", name, a, err)
		}
	}
	return ""
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

func (w *world) saw(want *Saw) string {
	s := w.servers[want.Server]
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch got := s.last; {
	case got == nil && want.Maybe:
		return ""
	case got == nil:
		return "no request has come"
	case want.Method != "" && got.Method != want.Method:
		return "the method is " + got.Method
	case want.Path != "" && got.Path != want.Path:
		return "the path is " + got.Path
	case want.Body != nil && *got.Body != w.fill(*want.Body):
		return fmt.Sprintf("the body is %.300q", *got.Body)
	default:
		return w.headers(want.Headers, got.Headers)
	}
}

// headers compares headers; "" is none, and "…" at the end stands for anything.
func (w *world) headers(want, got map[string]string) string {
	for name, value := range want {
		value = w.fill(value)
		begin, open := strings.CutSuffix(value, "…")
		if got := got[strings.ToLower(name)]; got != value && !(open && strings.HasPrefix(got, begin)) {
			return fmt.Sprintf("the header %s is %q, not %q", name, got, value)
		}
	}
	return ""
}

// logged waits a while: with several threads, a line can come after the call that led to it has returned.
func (w *world) logged(s *Step) (wrong string) {
	for range 50 {
		if wrong = w.lines(s); wrong == "" {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return wrong
}

func (w *world) lines(s *Step) string {
	n := 0
	var lines []string
	for _, l := range w.host.Logs(w.client(cmp.Or(s.Client, "c"))) {
		lines = append(lines, l.Level+" "+l.Line)
		if (s.Log.Level == "" || l.Level == s.Log.Level) && strings.Contains(l.Line, w.fill(s.Log.Has)) {
			n++
		}
	}
	if s.Log.Count == nil && n > 0 || s.Log.Count != nil && n == *s.Log.Count {
		return ""
	}
	return fmt.Sprintf("%d lines are so: %q", n, lines)
}

// fill replaces the names of servers in a text.
func (w *world) fill(text string) string {
	return scenario.Repeated(w.servers["auth"].text.Replace(text))
}

// client is the adapter's name of a client.
func (w *world) client(name string) string { return w.name + " " + name }

func (w *world) do(r protocol.Request) (protocol.Response, error) {
	p, err := w.host.Send(r)
	if err != nil {
		return protocol.Response{}, err
	}
	return p.Response()
}

func (w *world) send(s *Step) string {
	r, err := w.request(s)
	if err != nil {
		return err.Error()
	}
	if r.Op == "open" && !slices.Contains(w.clients, r.Client) {
		w.clients = append(w.clients, r.Client)
	}
	p, err := w.host.Send(r)
	if err != nil {
		return err.Error()
	}
	if s.As != "" {
		w.sent[s.As] = append(w.sent[s.As], p)
		return ""
	}
	a, err := p.Response()
	return w.outcome(s.Want, a, err)
}
