package call_test

import (
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/vars"
)

// callers are inputs of list_jobs with the ids that must be sent.
var callers = []struct{ input, customer, user string }{
	{``, "c0", "u0"},
	{`{"customer_id":"c1"}`, "c1", "u0"},
	{`{"user_id":"u1"}`, "c0", "u1"},
	{`{"customer_id":"c1","user_id":"u1"}`, "c1", "u1"},
	{`{"customer_id":null}`, "", "u0"},
	{`{"user_id":null}`, "c0", ""},
	{`{"customer_id":null,"user_id":null}`, "", ""},
	{`{"customer_id":"u1","user_id":"c1"}`, "u1", "c1"},
}

func TestTheSecondCallSendsThePreparedRequest(t *testing.T) {
	for _, c := range callers {
		h := newHost(t)
		h.listJobs(c.input, grants("t-one", 3600), jobsAs(c.customer, c.user, "t-one", 200))
		h.Settings = nil // a prepared request needs none
		second := h.beginListJobs(c.input)
		if second.step.Kind != call.SendHeld {
			t.Errorf("%s: %s is not the prepared one", c.input, second.result())
		}
		second.take(jobsAs(c.customer, c.user, "t-one", 200)).wantResponse()
	}
}

func TestALostVarIsMadeAgain(t *testing.T) {
	for _, lost := range [][]string{
		{vars.JobsRequest}, {vars.JobsIDs}, {vars.LogLine}, {vars.JobsRequest, vars.JobsIDs, vars.LogLine, vars.Retry},
	} {
		for _, c := range callers {
			h := newHost(t)
			h.listJobs(c.input, grants("t-one", 3600), jobsAs(c.customer, c.user, "t-one", 200))
			for _, name := range lost {
				delete(h.Vars, name)
			}
			h.listJobs(c.input, jobsAs(c.customer, c.user, "t-one", 200)).wantResponse()
			h.getToken("").wantToken("t-one", noon+3600)
		}
	}
}

func TestALostTokenIsRequestedAgain(t *testing.T) {
	for _, lost := range [][]string{
		{vars.Summary}, {vars.TokenObject, vars.JobsRequest}, {vars.Summary, vars.TokenObject, vars.JobsRequest},
	} {
		h := newHost(t)
		lose := func() {
			for _, name := range lost {
				delete(h.Vars, name)
			}
		}
		h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
		lose()
		h.listJobs("", grants("t-two", 3600), jobs("t-two", 200)).wantResponse()
		lose()
		h.getToken("", grants("t-three", 3600)).wantToken("t-three", noon+3600)
	}
}

func TestALostTokenIsNoSubstitute(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.Clock = noon + 3540
	delete(h.Vars, vars.TokenObject)
	h.getToken("", asks(500, "")).wantError(apierror.TokenEndpointUnavailable, 1)
	h.listJobs("").wantError(apierror.TokenEndpointUnavailable, 1)
}

func TestForeignVarsAreIgnored(t *testing.T) {
	for _, value := range []string{"x", "0123456789abcdef", "0123456789abcdef and more"} {
		h := newHost(t)
		for _, name := range []string{vars.Summary, vars.TokenObject, vars.JobsRequest, vars.JobsIDs} {
			h.Vars[name] = []byte(value)
		}
		h.listJobs("", grants("t-one", 3600), jobs("t-one", 200)).wantResponse()
		h.getToken("").wantToken("t-one", noon+3600)
	}
}
