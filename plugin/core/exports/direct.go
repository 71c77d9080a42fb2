package exports

import (
	"automatic-rostering/plugin/core/flow"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/oauth2"
	"automatic-rostering/plugin/core/service"
)

// call is a direct call, whose requests the plugin sends.
type call struct {
	host    host.Sender
	export  input.Export
	in      *input.Input
	now     int64            // 0 without a usable clock
	request *message.Request // without the token
	flow    *flow.Flow       // that got the current token
	asked   bool             // whether the call has sent a token request
	tokens  []string         // that were sent, the current one last
}

// Direct implements get_token, list_jobs and send_request: a loop over a token flow, the
// request, and the explanation of its response.
func Direct(h host.Sender, export input.Export, rawInput []byte) host.Result {
	in, err := input.Parse(rawInput, export)
	if err != nil {
		return host.Fail(err)
	}
	c := &call{host: h, export: export, in: in, now: flow.Now(h, &in.Clock)}
	if c.warm() {
		if export == input.GetToken {
			return host.Result{Kind: host.Held}
		}
		return c.finish(h.SendHeld())
	}
	switch {
	case export != input.GetToken:
		if c.request, err = service.NewRequest(h.Config, in); err != nil {
			return host.Fail(err)
		}
	case c.now == 0:
		return host.Fail(flow.ClockUnusable())
	}
	if c.now == 0 {
		h.Log(host.Warn, "no usable clock: the token is used until the service refuses it; set the clock, or pass now")
	}
	if failure := c.token(in); failure != nil || export == input.GetToken {
		return c.gotToken(failure)
	}
	return c.finish(c.send())
}

func (c *call) gotToken(failure []byte) host.Result {
	if failure != nil {
		return host.Result{Kind: host.Error, Text: failure}
	}
	return host.Result{Text: c.flow.Object}
}

// token runs a token flow. It returns its error as JSON, or nil.
func (c *call) token(in *input.Input) (failure []byte) {
	c.flow = flow.New(c.host, c.now)
	state := c.flow.Start(in)
	for state == flow.Requesting {
		c.asked = true
		before := c.flow.ExpectTrap()
		response := c.host.Send(c.flow.Request)
		c.flow.SetBackoff(before)
		c.now = flow.Now(c.host, &c.in.Clock)
		state = c.flow.Responded(response, c.now)
	}
	if state == flow.Failed {
		return c.flow.Error()
	}
	return nil
}

// send sends the request with the token of the flow.
func (c *call) send() *message.Response {
	text := oauth2.AccessToken(c.flow.Object)
	c.tokens = append(c.tokens, text)
	authorization := message.Header{Name: "Authorization", Value: "Bearer " + text}
	r := &message.Request{Method: c.request.Method, URL: c.request.URL, Body: c.request.Body,
		Headers: append([]message.Header{authorization}, c.request.Headers...)}
	c.prepare(r)
	return c.host.Send(r)
}

// maxSends is how often a call sends its request: the first other token may come from another
// instance, and have been revoked too.
const maxSends = 3

// finish processes the response to the request, which is sent again after a 401.
func (c *call) finish(r *message.Response) host.Result {
	for sends := 1; ; sends++ {
		ok := r.Status/100 == 2 && !r.Failed()
		if !ok || !c.logPrepared(r.Status) {
			if err := c.recall(); err != nil {
				return host.Fail(err)
			}
			c.log(r.Status)
		}
		if ok {
			return host.Result{Kind: host.Response}
		}
		e := service.NewError(r, append(c.tokens, c.host.Config("client_secret")))
		if r.Status != 401 {
			return host.Fail(e)
		}
		failure := c.replace()
		switch {
		case failure == nil && sends < maxSends && c.flow.Object != nil:
		case failure == nil:
			return host.Fail(e)
		default:
			if oauth2.IsRefusal(failure) {
				failure = e.AddBody(failure)
			}
			return host.Result{Kind: host.Error, Text: failure}
		}
		c.host.Log(host.Warn, "the service refused the token; the request is retried with another one")
		r = c.send()
	}
}

// replace gets another token than the current one, which the service refused. Without a clock
// a call requests only one.
func (c *call) replace() (failure []byte) {
	refused := input.Input{Refused: c.tokens[len(c.tokens)-1]}
	if c.now == 0 && c.asked {
		c.flow.Drop(refused.Refused)
		return nil
	}
	return c.token(&refused)
}
