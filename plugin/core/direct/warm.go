package direct

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/message"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
	"automatic-rostering.example/rostering/plugin/core/redact"
	"automatic-rostering.example/rostering/plugin/core/service"
)

// warm selects the kept token object, or the request that was prepared with the token, if it
// is what this call returns or sends. Then neither the token nor the config enters the guest.
func (c *call) warm() bool {
	first, second, ok := c.host.Words(instance.Summary)
	w := instance.ReadWarm(first, second)
	if !ok || c.now < w.From || c.now >= w.Until || c.in.Force || c.in.Refused != "" {
		return false
	}
	if c.noted = w.WorkedSince; c.export == input.GetToken {
		return c.host.Hold(instance.TokenObject)
	}
	ids := c.in.IDs()
	return c.export == input.ListJobs && w.Prepared && w.ForInput == (ids != "") &&
		(ids == "" || string(c.host.Var(instance.JobsIDs)) == ids) && c.host.Hold(instance.JobsRequest)
}

// send sends the request with the token of the flow, and keeps it for the next calls.
func (c *call) send() *message.Response {
	text := oauth2.AccessToken(c.flow.Object)
	c.tokens = append(c.tokens, text)
	authorization := message.Header{Name: "Authorization", Value: "Bearer " + text}
	r := &message.Request{Method: c.request.Method, URL: c.request.URL, Body: c.request.Body,
		Headers: append([]message.Header{authorization}, c.request.Headers...)}
	c.prepare(r)
	return c.host.Send(r)
}

// prepare keeps the request for the next calls. A host that did not keep one with this token
// has no room for it, and might end the call that sets the var.
func (c *call) prepare(r *message.Request) {
	if c.export != input.ListJobs || !c.flow.Current() {
		return
	}
	s := instance.Decode(c.host.Var(instance.Summary))
	if s.Prepared && !c.host.Hold(instance.JobsRequest) {
		return
	}
	ids := c.in.IDs()
	s.Prepared, s.ForInput = true, ids != ""
	c.host.SetVar(instance.JobsRequest, nil)
	c.host.SetVar(instance.Summary, s.Encode())
	if s.ForInput {
		c.host.SetVar(instance.JobsIDs, []byte(ids))
	}
	c.host.SetVar(instance.LogLine, []byte(r.Line(200)))
	c.host.SetVar(instance.JobsRequest, r.JSON())
}

// noteWorked notes that the service accepted the token.
func (c *call) noteWorked() {
	if c.noted {
		return
	}
	sent := oauth2.AccessToken(c.host.Var(instance.TokenObject)) // by a warm call
	if len(c.tokens) > 0 {
		sent = c.tokens[len(c.tokens)-1]
	}
	s := instance.Decode(c.host.Var(instance.Summary))
	if s.Token.Hash == instance.Hash(sent) && s.Token.Worked != instance.WorkedSince {
		s.Token.Worked = instance.WorkedSince
		c.host.SetVar(instance.Summary, s.Encode())
	}
}

// recall logs what was sent. If that was the prepared request, it first reads what that is,
// unless the line is prepared, too.
func (c *call) recall(status int) (err *apierror.Error) {
	if c.tokens == nil {
		if status == 200 && c.host.LogVar(instance.LogLine) {
			return nil
		}
		c.tokens = []string{oauth2.AccessToken(c.host.Var(instance.TokenObject))}
		if c.request, err = service.NewRequest(c.host.Config, c.in); err != nil {
			return err
		}
	}
	if status != 0 {
		// The caller may have put a secret into the path.
		c.host.Log(host.Debug, redact.Text(c.request.Line(status), append([]string{c.host.Config("client_secret")}, c.tokens...)))
	}
	return nil
}
