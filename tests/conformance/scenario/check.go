package scenario

import (
	"errors"
	"fmt"
	"slices"
)

// Direct are the exports that make requests.
var Direct = []string{"get_token", "list_jobs", "send_request"}

// HasDirect reports whether the scenario has direct calls that flows can make, too.
func (s *Scenario) HasDirect() bool {
	return !s.Direct && slices.ContainsFunc(s.Calls, func(c Call) bool { return slices.Contains(Direct, c.Call) })
}

func (s *Scenario) check() error {
	switch {
	case s.Name == "" || s.Rule == "" || len(s.Calls) == 0:
		return errors.New("a scenario needs a name, a rule and calls")
	case s.Accepts != nil && !slices.Equal(s.Accepts, []string{"store"}):
		return errors.New("accepts is store, or omitted")
	}
	names := map[string]bool{}
	for i, c := range s.Calls {
		err := c.check()
		if err == nil && c.Resume != "" && !names[c.Resume] {
			err = fmt.Errorf("no flow is named %q", c.Resume)
		}
		if err != nil {
			return fmt.Errorf("call %d: %w", i+1, err)
		}
		names[c.Begin], names[c.As] = true, true
	}
	return nil
}

func (c *Call) check() error {
	outcomes, kinds := 0, 0
	for _, set := range []bool{c.Token != nil, c.Error != nil, c.Lost, c.JSON != nil, c.Empty, c.Step != nil} {
		if set {
			outcomes++
		}
	}
	for _, name := range []string{c.Call, c.Begin, c.Resume} {
		if name != "" {
			kinds++
		}
	}
	isFlow := c.Partial() || c.Call == "flow"
	switch {
	case kinds != 1:
		return errors.New("a call is one of call, begin and resume")
	case c.As != "" && c.Resume == "":
		return errors.New("as needs resume")
	case outcomes > 1:
		return errors.New("token, error, lost, json, empty and step exclude each other")
	case c.RawInput != nil && (c.Now != "" || c.Input != nil || isFlow):
		return errors.New("raw_input excludes now, input and flows")
	case isFlow && c.Token == nil && c.Error == nil && (c.Step == nil || !c.Partial()):
		return errors.New("a flow ends with token or error, and one of its parts may end with step")
	case c.Partial() && c.Exchanges != nil:
		return errors.New("a part of a flow has no exchanges")
	case c.Step != nil && !c.Partial() || c.Until != nil && (!isFlow || c.Token == nil):
		return errors.New("step is for parts of flows, and until beside the token of a flow's end")
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
		if !isFlow && (e.Has != "" || e.Until != nil) {
			return errors.New("has and until are for the steps of flows")
		}
	}
	return nil
}

func (e *Exchange) check() error {
	kinds := 0
	for _, set := range []bool{e.Token != nil, e.Jobs != nil, e.Get != nil, e.Set != nil, e.Lock != nil, e.Add != nil, e.Unlock != nil, e.Wait != ""} {
		if set {
			kinds++
		}
	}
	if kinds != 1 || e.Times != 0 || e.Exchanges != nil {
		return errors.New("an exchange is one of token, jobs, get, set, lock, add, unlock and wait, or times and exchanges")
	}
	return nil
}
