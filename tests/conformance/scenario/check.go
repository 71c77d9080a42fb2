package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Whole are the exports that make requests. A call of one of them that is not Partial
// is made as a whole: by the export itself, or by begin and resume.
var Whole = []string{"get_token", "list_jobs", "send_request"}

// StepsOnly reports whether the scenario needs a host that makes its whole calls by
// begin and resume.
func (s *Scenario) StepsOnly() bool {
	return s.Form == "steps" || slices.ContainsFunc(s.Calls, func(c Call) bool {
		return c.whole() && (s.Accepts != nil || c.Body != nil)
	})
}

func (c *Call) whole() bool { return !c.Partial() && slices.Contains(Whole, c.Call) }

// Waits is the sum of the waits in whole calls, in seconds.
func (s *Scenario) Waits() (sum float64) {
	for _, c := range s.Calls {
		for _, e := range c.Exchanges {
			if seconds, err := e.Wait.Float64(); err == nil {
				sum += seconds
			}
		}
	}
	return sum
}

func (s *Scenario) check() error {
	switch {
	case s.Name == "" || s.Rule == "" || len(s.Calls) == 0:
		return errors.New("a scenario needs a name, a rule and calls")
	case s.Form != "" && s.Form != "steps":
		return errors.New("there is no other form than steps")
	case s.Accepts != nil && (len(s.Accepts) == 0 || s.Accepts[0] != "wait"):
		return errors.New("accepts begins with wait")
	}
	names := map[string]bool{}
	for i, c := range s.Calls {
		err := c.check()
		if err == nil && c.Resume != "" && !names[c.Resume] {
			err = fmt.Errorf("no call is named %q", c.Resume)
		}
		if err != nil {
			return fmt.Errorf("call %d: %w", i+1, err)
		}
		names[c.As] = true
	}
	return nil
}

func (c *Call) check() error {
	outcomes := 0
	for _, set := range []bool{c.Token != nil, c.Error != nil, c.Lost, c.JSON != nil, c.Empty, c.Step != nil, c.Done} {
		if set {
			outcomes++
		}
	}
	switch {
	case (c.Call == "") == (c.Resume == ""):
		return errors.New("which export is called, or which call resumed?")
	case c.As != "" && c.Resume == "" && !slices.Contains(Whole, c.Call):
		return errors.New("only get_token, list_jobs and send_request can be begun")
	case outcomes > 1:
		return errors.New("token, error, lost, json, empty, step and done exclude each other")
	case c.Resume == "" && c.RawInput == nil && c.Now == "":
		return errors.New("only resume does without now")
	case c.RawInput != nil && (c.Now != "" || c.Input != nil || c.Body != nil || c.Partial()):
		return errors.New("raw_input excludes now, input, body, as and resume")
	case c.Partial() && (outcomes == 0 || c.Lost || c.JSON != nil || c.Empty || c.Exchanges != nil):
		return errors.New("as and resume need step, done, token or error")
	case !c.Partial() && (c.Step != nil || c.Done):
		return errors.New("step and done need as or resume")
	case c.Body != nil && c.Call != "send_request":
		return errors.New("only send_request has a body")
	case outcomes == 0 && len(c.Exchanges) == 0:
		return errors.New("without a request there is no body to give out")
	case c.Message != "" && c.Error == nil:
		return errors.New("message needs an error")
	}
	if c.Step != nil {
		return c.Step.check()
	}
	for _, e := range c.Exchanges {
		if err := e.check(); err != nil {
			return err
		}
	}
	return nil
}

func (e *Exchange) check() error {
	kinds := 0
	for _, set := range []bool{e.Token != nil, e.Jobs != nil, e.Get != nil, e.Add != nil, e.Set != nil, e.Wait != ""} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds != 1 || e.Times != 0 || e.Exchanges != nil:
		return errors.New("an exchange is one of token, jobs, get, add, set and wait, or times and exchanges")
	case e.For != "" && (e.Wait == "" || e.For != "call"):
		return errors.New("for is call, beside wait")
	case e.Store != nil:
		return e.Store.check()
	}
	return nil
}

// Purpose is what a wait is for.
func (e *Exchange) Purpose() string { return cmp.Or(e.For, "store") }

func (e *StoreExchange) check() error {
	values := 0
	for _, set := range []bool{e.Value != nil, e.Text != nil, e.Token != nil} {
		if set {
			values++
		}
	}
	switch {
	case values > 1:
		return errors.New("value, text and token exclude each other")
	case e.Token != nil && e.Token["expires_at"] == nil:
		return errors.New("when does the token expire?")
	case e.Op == "get" && e.TTL != "" || e.Op != "add" && e.Added:
		return errors.New("ttl is for add and set, added for add")
	case e.Op == "set" && !e.Lock && (values == 0 || e.TTL == ""):
		return errors.New("what is set, and for how long?")
	case (e.Op == "add" || e.Lock) && e.Op != "get" && (values == 0) != (e.TTL == ""):
		return errors.New("a value needs its ttl")
	case e.Failed && (e.Added || e.Op == "get" && values > 0):
		return errors.New("a store that fails gives nothing")
	}
	return nil
}
