package call

import (
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/vars"
)

// usePrepared makes the prepared request to the service, or the prepared token object, the
// call's step, without a copy. It reports whether there is one that fits.
func (c *Call) usePrepared() bool {
	c.step.Kind = GiveHeld
	switch {
	case c.inSteps && c.token.ExpiryKnown() && !c.keepable():
		return false // the prepared step has until
	case c.export == input.GetToken && c.inSteps:
		return c.token.StepPrepared && c.host.Hold(vars.TokenStep)
	case c.export == input.GetToken:
		return c.host.Hold(vars.TokenObject)
	case !c.inSteps:
		c.step.Kind = SendHeld
	}
	return c.export == input.ListJobs && c.refused == 0 && c.prepared() && c.host.Hold(vars.JobsRequest)
}

// form returns the form in which this call's request is prepared.
func (c *Call) form() vars.Prepared {
	if c.inSteps {
		return vars.ForStep + vars.Prepared(c.accepts)
	}
	return vars.ForRequest
}

// prepared reports whether the prepared request fits this call.
func (c *Call) prepared() bool {
	ids := c.in.IDs()
	return c.token.Prepared == c.form() && c.token.ForInput == (ids != "") && !(c.inSteps && c.token.Rejected) &&
		(ids == "" || string(c.host.Var(vars.JobsIDs)) == ids)
}

// prepareJobs stores the call's request for the next calls. A host that did not keep one for
// this token has no room for it, and might end the call that sets the var.
func (c *Call) prepareJobs() {
	noRoom := c.token.Prepared != vars.Nothing && !c.host.Hold(vars.JobsRequest)
	if c.inSteps && c.token.Rejected || c.prepared() || noRoom {
		return
	}
	c.host.SetVar(vars.JobsRequest, nil)
	ids := c.in.IDs()
	c.token.Prepared, c.token.ForInput = c.form(), ids != ""
	c.saveToken()
	if ids != "" {
		c.host.SetVar(vars.JobsIDs, []byte(ids))
	}
	c.host.SetVar(vars.LogLine, []byte(c.request.Line(200)))
	if c.inSteps {
		c.host.SetVar(vars.JobsRequest, c.encodeRequest(c.accepts != input.AcceptsNothing, true))
	} else {
		c.host.SetVar(vars.JobsRequest, c.request.AppendJSON(nil))
	}
}

// prepareTokenStep stores the step that begin returns for a get_token.
func (c *Call) prepareTokenStep(object []byte) {
	if c.token.StepPrepared {
		return // as in prepareJobs
	}
	c.host.SetVar(vars.TokenStep, nil)
	c.token.StepPrepared = true
	c.saveToken()
	c.host.SetVar(vars.TokenStep, c.appendDone(object, true))
}
