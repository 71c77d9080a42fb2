// Package direct implements the direct calls, whose requests the plugin sends.
package direct

import (
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/json"
	"automatic-rostering.example/rostering/plugin/core/message"
	"automatic-rostering.example/rostering/plugin/core/service"
)

type call struct {
	host    host.Sender
	export  input.Export
	in      *input.Input
	now     int64            // 0 without a usable clock
	request *message.Request // without the token
	flow    *flow.Flow       // that got the current token
	asked   bool             // whether the call has sent a token request
	tokens  []string         // that were sent, the current one last
	noted   bool             // whether it is noted that the token worked
}

// Call implements get_token, list_jobs and send_request: a loop over a token flow, the
// request, and the explanation of its response.
func Call(h host.Sender, export input.Export, rawInput []byte) host.Result {
	in, err := input.Parse(rawInput, export)
	if err != nil {
		return host.Fail(err)
	}
	c := &call{host: h, export: export, in: in, now: clock.Now(h, &in.Override)}
	if c.warm() {
		if export == input.GetToken {
			return host.Result{Kind: host.Held}
		}
		return c.finish(h.SendHeld())
	}
	if export == input.GetToken {
		if c.now == 0 {
			return host.Fail(clock.Unusable(&in.Override))
		}
	} else if c.request, err = service.NewRequest(h.Config, in); err != nil {
		return host.Fail(err)
	} else if c.now == 0 {
		h.Log(host.Warn, "no usable clock: the token is used until the service refuses it; set the clock, or pass now")
	}
	if failure := c.token(in); failure != nil {
		return host.Result{Kind: host.Error, Text: failure}
	}
	if export == input.GetToken {
		return host.Result{Text: c.flow.Object}
	}
	return c.finish(c.send())
}

// token runs a token flow. It returns its error as JSON, or nil.
func (c *call) token(in *input.Input) (failure []byte) {
	c.flow = flow.New(c.host, c.now)
	state := c.flow.Start(in)
	for state == flow.Requesting {
		c.asked = true
		before := c.flow.ExpectTrap()
		response := c.host.Send(c.flow.Request)
		c.flow.NoTrap(before)
		c.now = clock.Now(c.host, &c.in.Override)
		state = c.flow.Responded(response, c.now)
	}
	if c.flow.Failed {
		return c.flow.Error()
	}
	return nil
}

// maxSends is how often a call sends its request: another token may have been revoked, too.
const maxSends = 3

// finish processes the response to the request, which is sent again after a 401.
func (c *call) finish(r *message.Response) host.Result {
	for sends := 1; ; sends++ {
		ok := r.Status/100 == 2 && !r.Failed()
		if err := c.recall(r.Status); err != nil && !ok {
			return host.Fail(err)
		}
		if r.Status != 401 && !r.Failed() {
			c.noteWorked()
		}
		if ok {
			return host.Result{Kind: host.Response}
		}
		e := service.NewError(r, &c.in.Own, append([]string{c.host.Config("client_secret")}, c.tokens...), c.now)
		if r.Status != 401 || sends == maxSends {
			return host.Fail(e) // a call that is over requests nothing
		}
		if failure := c.replace(); failure != nil {
			if v := json.Value(failure); v.Get("code").Text() == e.Code { // the same, with the response
				e.RetryAfter, _ = v.Get("retry_after").Natural(backoff.MaxWait)
				return host.Fail(e)
			}
			return host.Result{Kind: host.Error, Text: failure}
		}
		if c.flow.Object == nil {
			return host.Fail(e)
		}
		c.host.Log(host.Warn, "the service refused the token; the request is retried with another one")
		r = c.send()
	}
}

// replace replaces the current token, which was refused. Without a clock, a call requests one.
func (c *call) replace() (failure []byte) {
	refused := c.tokens[len(c.tokens)-1]
	if c.now == 0 && c.asked {
		c.flow.Drop(refused)
		return nil
	}
	return c.token(&input.Input{Refused: refused})
}
