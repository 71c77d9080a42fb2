package call_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/call"
	"automatic-rostering/plugin/internal/state"
)

// What no scenario can do: change the config and the vars of an instance between two
// steps, and let time pass between a request and its answer.

// steered is a call that the test makes by begin and resume.
type steered struct {
	*host
	flow   json.RawMessage
	output string
}

func (h *host) steer(name, accepts string) *steered {
	h.t.Helper()
	c := &steered{host: h}
	c.next(call.Begin(h, fmt.Appendf(nil, `{"call":%q,"accepts":%s}`, name, accepts)))
	return c
}

// goOn hands in results, each of one step.
func (c *steered) goOn(results ...string) *steered {
	c.t.Helper()
	for _, result := range results {
		c.next(call.Resume(c.host, fmt.Appendf(nil, `{"flow":%s%s}`, c.flow, result)))
	}
	return c
}

func (c *steered) next(s *call.Step) {
	c.t.Helper()
	var parsed struct{ Flow json.RawMessage }
	c.output = string(s.Output)
	if err := json.Unmarshal(s.Output, &parsed); err != nil {
		c.t.Fatalf("%s: %v", s.Output, err)
	}
	c.flow = parsed.Flow
}

// want wants the last step, or the error, to hold these texts.
func (c *steered) want(texts ...string) {
	c.t.Helper()
	for _, text := range texts {
		if !strings.Contains(c.output, text) {
			c.t.Errorf("%s, without %s", c.output, text)
		}
	}
}

const (
	tokenAnswer = `,"status":200,"body":"{\"access_token\":\"t-one\",\"token_type\":\"Bearer\",\"expires_in\":3600}"`
	storeToo    = `["wait","store"]`
)

func TestAChangedConfigEndsTheCall(t *testing.T) {
	for _, answer := range []string{tokenAnswer, `,"status":503`} {
		h := newHost(t)
		c := h.steer("get_token", `[]`)
		h.config["client_id"] = "another"
		c.goOn(answer).want(apierror.InvalidInput, `"key":"flow"`)
	}
}

func TestAnUnusableConfigEndsTheCall(t *testing.T) {
	h := newHost(t)
	c := h.steer("get_token", `[]`)
	h.config["client_id"] = ""
	c.goOn(tokenAnswer).want(apierror.ConfigMissing, `"key":"client_id"`)
}

func TestAfterA401NoTokenIsRequestedByAnotherConfig(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	c := h.steer("list_jobs", `[]`)
	h.config["client_id"] = "another"
	c.goOn(`,"status":401`).want(apierror.InvalidInput, `"key":"flow"`)
}

func TestTheLockOfAnotherConfigIsNotWritten(t *testing.T) {
	h := newHost(t)
	c := h.steer("list_jobs", storeToo).goOn(`,"value":null`, `,"added":true`, tokenAnswer, ``, ``)
	c.want(`"for":"service"`)
	h.config["client_id"] = "another"
	if c.goOn(`,"status":401`).want(apierror.ServiceUnauthorized); c.flow != nil {
		t.Errorf("it goes on: %s", c.output)
	}
}

func TestAnAnswerCountsWithoutAConfig(t *testing.T) {
	h := newHost(t)
	c := h.steer("list_jobs", `[]`).goOn(tokenAnswer)
	delete(h.config, "base_url")
	h.log = nil
	c.goOn(`,"status":500`).want(apierror.ServiceError, `"status":500`)
	h.wantLog("debug: HTTP 500 to GET /jobs")
}

func TestANewTokenThatIsNotKeptIsAnError(t *testing.T) {
	for _, name := range []string{"get_token", "list_jobs"} {
		h := newHost(t)
		c := h.steer(name, storeToo).goOn(`,"value":null`, `,"added":true`, tokenAnswer, ``)
		delete(h.vars, state.TokenObject)
		c.goOn(``).want(apierror.TokenResponseInvalid, "room")
	}
}

func TestAnOldTokenThatIsNotKeptIsNoSubstitute(t *testing.T) {
	for _, name := range []string{"get_token", "list_jobs"} {
		h := newHost(t)
		h.getToken("", grants("t-one", 3600))
		h.now = noon + 3550
		c := h.steer(name, storeToo).goOn(`,"value":null`, `,"added":true`, `,"status":503`)
		delete(h.vars, state.TokenObject)
		c.goOn(``).want(apierror.TokenEndpointUnavailable, `"retry_after":1`)
	}
}

func TestAWaitCountsFromTheFailure(t *testing.T) {
	h := newHost(t)
	h.getToken("", asks(503, "").after(20)).wantError(apierror.TokenEndpointUnavailable, 1)
	h.getToken("").wantError(apierror.TokenEndpointUnavailable, 1)
	h.now++
	h.getToken("", grants("t-one", 3600)).wantToken("t-one", noon+21+3600)
}

func TestACallThatCannotWaitLeavesNoNote(t *testing.T) {
	for _, accepts := range []string{`[]`, `["wait"]`} {
		h := newHost(t)
		h.steer("get_token", `[]`) // and never goes on
		h.beginGetToken("")
		h.now++ // after what beginGetToken counts as a failure
		h.steer("get_token", accepts).want(`"for":"token"`)
	}
}
