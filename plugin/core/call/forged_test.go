package call_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/vars"
)

// A flow identifies its token by a hash: on an instance without that token it shows nothing and
// changes nothing.
func TestAFlowBelongsToItsInstance(t *testing.T) {
	one, other := newHost(t), newHost(t)
	one.getToken("", grants("token-one", 3600))
	other.getToken("", grants("token-other", 3600))
	c := one.steer("list_jobs", `["wait"]`)
	c.host = other
	c.proceed(`,"status":500,"body":"token-one, token-other"`).want(apierror.ServiceError)
	if strings.Contains(c.output, "body") {
		t.Error(c.output)
	}
	c = one.steer("list_jobs", `["wait"]`)
	c.host = other
	c.proceed(`,"status":401,"body":"token-other"`).want("Bearer token-other")
	if calls := vars.DecodeCalls(other.Vars[vars.Shared]); calls.Refused != [4]int64{} {
		t.Errorf("it counts as refused there: %v", calls.Refused)
	}
}

// A forged flow may end in an error, not in harm to other calls.
func TestForgedFlows(t *testing.T) {
	forge := func(c *steered, old, new string) {
		t.Helper()
		forged := strings.Replace(string(c.flow), old, new, 1)
		if forged == string(c.flow) {
			t.Fatalf("%s has no %s", c.flow, old)
		}
		c.flow = json.RawMessage(forged)
	}
	at := fmt.Sprintf(`,"at":%d`, noon)
	t.Run("a time in the future is not trusted", func(t *testing.T) {
		h := newHost(t)
		c := h.steer("get_token", `["wait"]`)
		forge(c, at, `,"at":200000000000`)
		h.Clock = 0
		c.proceed(tokenResponse).want(fmt.Sprint(noon + 3600))
		h.Clock = noon
		h.getToken("").wantToken("t-one", noon+3600)
	})
	t.Run("without a time, the token still has an expiry", func(t *testing.T) {
		h := newHost(t)
		c := h.steer("get_token", `["wait"]`)
		forge(c, at, ``)
		c.proceed(tokenResponse).want(fmt.Sprint(noon + 3600))
		h = newHost(t)
		c = h.steer("get_token", `["wait"]`)
		forge(c, at, ``)
		h.Clock = 0
		c.proceed(tokenResponse).want(apierror.ClockUnusable)
	})
	for _, field := range []string{`"now":1800000000`, `"refused":"t-one"`} {
		t.Run("rejected in the input of a flow: "+field, func(t *testing.T) {
			h := newHost(t)
			c := h.steer("get_token", `["wait"]`)
			forge(c, `"state"`, `"input":{`+field+`},"state"`)
			c.proceed(tokenResponse).want(apierror.InvalidInput, `"key":"flow"`)
		})
	}
	t.Run("a flow without an owner is invalid", func(t *testing.T) {
		h := newHost(t)
		h.getToken("", grants("t-one", 3600))
		c := h.steer("list_jobs", `["wait"]`)
		i := strings.Index(string(c.flow), `"of"`)
		c.flow = json.RawMessage(string(c.flow[:i]) + string(c.flow[i+strings.Index(string(c.flow[i:]), ",")+1:]))
		call.ClearToken(h, nil)
		c.proceed(`,"status":500,"body":"t-one"`).want(apierror.InvalidInput, `"key":"flow"`)
	})
	t.Run("a request to the service without its token is invalid", func(t *testing.T) {
		h := newHost(t)
		h.getToken("", grants("t-one", 3600))
		c := h.steer("list_jobs", `["wait"]`)
		i := strings.Index(string(c.flow), `,"token"`)
		c.flow = json.RawMessage(string(c.flow[:i]) + "}")
		c.proceed(`,"status":500,"body":"t-one"`).want(apierror.InvalidInput, `"key":"flow"`)
	})
	for _, number := range []string{"-1800000000", "1800000000.5", "999999999999"} {
		t.Run("a number that no flow has: "+number, func(t *testing.T) {
			h := newHost(t)
			c := h.steer("get_token", `["wait"]`)
			forge(c, at, `,"at":`+number)
			c.proceed(tokenResponse).want(apierror.InvalidInput, `"key":"flow"`)
		})
	}
	// From a state in which a call returns no step, the call would have nothing to return.
	for _, state := range []string{"choosing", "succeeded", "failed", "", "unknown"} {
		t.Run("a state without a step: "+state, func(t *testing.T) {
			for _, result := range []string{``, `,"value":null`, `,"status":200`, `,"added":true`} {
				c := newHost(t).steer("list_jobs", storeToo)
				forge(c, `"reading_token"`, `"`+state+`"`)
				c.proceed(result).want(apierror.InvalidInput, `"key":"flow"`)
			}
		})
	}
	t.Run("an invalid failure", func(t *testing.T) {
		h := newHost(t)
		c := h.steer("get_token", storeToo).proceed(`,"value":null`, `,"added":true`, `,"status":503`)
		forge(c, `"failure":{"code":"token_endpoint_unavailable"`, `"failure":{"code":"x"`)
		c.proceed(``).want(apierror.InvalidInput, `"key":"flow"`)
	})
}
