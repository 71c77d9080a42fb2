package call_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/message"
)

// made is a call under way, or one that is done.
type made struct {
	*host
	kind input.Export
	flow *call.Call
	step call.Step
	mine []byte // the var that the step holds
	last string // the body of the last response
}

func (h *host) begin(kind input.Export, in string) *made {
	f := call.New(h, kind)
	c := &made{host: h, kind: kind, flow: f, step: *f.Begin([]byte(in))}
	c.checkStep()
	return c
}

func (h *host) beginListJobs(in string) *made { return h.begin(input.ListJobs, in) }
func (h *host) beginGetToken(in string) *made { return h.begin(input.GetToken, in) }

// turn is a request that a test expects, and its response.
type turn struct {
	request string // as call.request returns it
	status  int
	body    string
	token   string // in the body
	seconds int64  // between the request and its response
}

func (t turn) after(seconds int64) turn { t.seconds = seconds; return t }

const tokenRequest = "POST https://auth.example/id/connect/token [Content-Type: application/x-www-form-urlencoded] " +
	"client_id=client&client_secret=s3cret%2Fwith%2Bodd%26signs%25&grant_type=client_credentials&scope=automatic-rostering-stage"

// asks is a token request, and its response with a status and a body.
func asks(status int, body string) turn {
	return turn{request: tokenRequest, status: status, body: body}
}

// grants is a token request, and its response with a token.
func grants(token string, lifetime int) turn {
	t := asks(200, fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":%d}`, token, lifetime))
	t.token = token
	return t
}

// jobsAs is a request for the jobs of two ids; "" sends no header.
func jobsAs(customer, user, token string, status int) turn {
	request := "GET https://api.example/v1/jobs [Authorization: Bearer " + token + "]"
	if customer != "" {
		request += " [CUSTOMER_ID: " + customer + "]"
	}
	if user != "" {
		request += " [USER_ID: " + user + "]"
	}
	return turn{request: request, status: status, body: `{"jobs":[]}`}
}

// jobs is a request for the jobs of the config's ids.
func jobs(token string, status int) turn { return jobsAs("c0", "u0", token, status) }

// request returns a description of the request under way.
func (c *made) request() string {
	c.t.Helper()
	r := c.step.Request
	switch c.step.Kind {
	case call.Send:
		// A host sends what AppendJSON makes of it.
		return describe(c, r.AppendJSON(nil), r.Body)
	case call.SendHeld:
		return describe(c, c.mine, "")
	}
	c.t.Fatalf("no request but %s", c.result())
	return ""
}

func describe(c *made, request []byte, body string) string {
	c.t.Helper()
	var r struct {
		Method, URL string
		Headers     map[string]string
	}
	if err := json.Unmarshal(request, &r); err != nil {
		c.t.Fatalf("%s: %v", request, err)
	}
	text := r.Method + " " + r.URL
	var headers []string
	for name, value := range r.Headers {
		headers = append(headers, " ["+name+": "+value+"]")
	}
	slices.Sort(headers)
	text += strings.Join(headers, "")
	if body != "" {
		fields, err := url.ParseQuery(body)
		if err != nil {
			c.t.Fatalf("%q: %v", body, err)
		}
		text += " " + fields.Encode() // sorted
	}
	return text
}

// take wants the request under way to be that of each turn, and passes its response.
func (c *made) take(turns ...turn) *made {
	c.t.Helper()
	for _, turn := range turns {
		if got := c.request(); got != turn.request {
			c.t.Fatalf("request:\n got %s\nwant %s", got, turn.request)
		}
		if turn.token != "" {
			c.tokens = append(c.tokens, turn.token)
		}
		c.Clock += turn.seconds
		c.last = turn.body
		c.step = *c.flow.Resume(&message.Response{Status: turn.status, Size: len(turn.body),
			Load: func(most int) []byte { return []byte(turn.body[:min(most, len(turn.body))]) }})
		c.checkStep()
	}
	return c
}

// checkStep wants no secret in an error, and no token in an output except get_token's.
func (c *made) checkStep() {
	c.t.Helper()
	c.mine = c.Held // before another call holds a var
	switch c.step.Kind {
	case call.Fail:
		c.checkHidden("an error", string(c.step.Output))
	case call.Give:
		if strings.Contains(string(c.step.Output), secret) || c.kind != input.GetToken {
			c.t.Errorf("output %s", c.step.Output)
		}
	case call.GiveResponse:
		c.checkHidden("an output", c.last)
	}
}

// getToken and listJobs run a whole call: the turns are all its requests.
func (h *host) getToken(in string, turns ...turn) *made {
	h.t.Helper()
	return h.beginGetToken(in).take(turns...)
}

func (h *host) listJobs(in string, turns ...turn) *made {
	h.t.Helper()
	return h.beginListJobs(in).take(turns...)
}

// result returns how a call ended.
func (c *made) result() string {
	switch c.step.Kind {
	case call.Send, call.SendHeld:
		return "the request " + c.request()
	case call.Give:
		return "the output " + string(c.step.Output)
	case call.GiveHeld:
		return "the output " + string(c.mine)
	case call.GiveResponse:
		return "the response " + c.last
	}
	return "the error " + string(c.step.Output)
}
