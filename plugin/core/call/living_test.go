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

// What no scenario can do: change the config and the vars of an instance between two steps,
// and let time pass between a request and its response.

// steered is a call that the test makes with begin and resume.
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

// proceed passes results, each of one step.
func (c *steered) proceed(results ...string) *steered {
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
	if s.Kind == call.GiveHeld {
		c.output = string(c.Held)
	}
	if err := json.Unmarshal([]byte(c.output), &parsed); err != nil {
		c.t.Fatalf("%s: %v", c.output, err)
	}
	c.flow = parsed.Flow
}

// want wants the last step, or the error, to contain these strings.
func (c *steered) want(texts ...string) {
	c.t.Helper()
	for _, text := range texts {
		if !strings.Contains(c.output, text) {
			c.t.Errorf("%s, without %s", c.output, text)
		}
	}
}

// set sets a token.
func (h *host) set(token string, expiresAt int64) {
	h.t.Helper()
	const key = "rostering:https%3A%2F%2Fauth.example%2Fid%2Fconnect%2Ftoken:client:automatic-rostering-stage"
	step := call.SetToken(h, fmt.Appendf(nil, `{"access_token":%q,"expires_at":%d,"cache_key":%q}`, token, expiresAt, key))
	if step.Kind != call.Give {
		h.t.Fatalf("%s", step.Output)
	}
}

const (
	tokenResponse = `,"status":200,"body":"{\"access_token\":\"t-one\",\"token_type\":\"Bearer\",\"expires_in\":3600}"`
	storeToo      = `["wait","store"]`
)

func TestAChangedConfigEndsTheCall(t *testing.T) {
	for _, response := range []string{tokenResponse, `,"status":503`} {
		h := newHost(t)
		c := h.steer("get_token", `[]`)
		h.Settings["client_id"] = "another"
		c.proceed(response).want(apierror.InvalidInput, `"key":"flow"`)
	}
}

func TestAnInvalidConfigEndsTheCall(t *testing.T) {
	h := newHost(t)
	c := h.steer("get_token", `["wait"]`)
	h.Settings["client_id"] = ""
	c.proceed(tokenResponse).want(apierror.ConfigMissing, `"key":"client_id"`)
	h.Settings["client_id"] = "client"
	h.steer("get_token", `["wait"]`).want(`"for":"token"`) // the first is no longer pending
}

func TestAfterA401NoTokenIsRequestedByAnotherConfig(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	c := h.steer("list_jobs", `[]`)
	h.Settings["client_id"] = "another"
	c.proceed(`,"status":401`).want(apierror.InvalidInput, `"key":"flow"`)
}

func TestTheLockOfAnotherConfigIsNotWritten(t *testing.T) {
	h := newHost(t)
	c := h.steer("list_jobs", storeToo).proceed(`,"value":null`, `,"added":true`, tokenResponse, ``, ``)
	c.want(`"for":"service"`)
	h.Settings["client_id"] = "another"
	if c.proceed(`,"status":401`).want(apierror.ServiceUnauthorized); c.flow != nil {
		t.Errorf("it continues: %s", c.output)
	}
}

func TestAResponseCountsWithoutAConfig(t *testing.T) {
	h := newHost(t)
	c := h.steer("list_jobs", `[]`).proceed(tokenResponse)
	delete(h.Settings, "base_url")
	h.log = nil
	c.proceed(`,"status":500`).want(apierror.ServiceError, `"status":500`)
	h.wantLog("debug: HTTP 500 to GET /jobs")
}

func TestANewTokenThatIsNotKeptIsAnError(t *testing.T) {
	for _, name := range []string{"get_token", "list_jobs"} {
		h := newHost(t)
		c := h.steer(name, storeToo).proceed(`,"value":null`, `,"added":true`, tokenResponse, ``)
		delete(h.Vars, vars.TokenObject)
		c.proceed(``).want(apierror.TokenResponseInvalid, "room", `"retryable":true`)
	}
}

// The call's own token was set again without a clock, after another: its expiry is not known.
func TestAnotherTokenIsNotReturnedForTheCallsOwn(t *testing.T) {
	h := newHost(t)
	c := h.steer("get_token", storeToo).proceed(`,"value":null`, `,"added":true`, tokenResponse)
	h.set("t-two", noon+3600)
	h.Clock = 1
	h.set("t-one", noon+3600)
	h.Clock = noon
	c.proceed(``, ``).want(apierror.TokenResponseInvalid)
}

func TestAnOldTokenThatIsNotKeptIsNoSubstitute(t *testing.T) {
	for _, name := range []string{"get_token", "list_jobs"} {
		h := newHost(t)
		h.getToken("", grants("t-one", 3600))
		h.Clock = noon + 3550
		c := h.steer(name, storeToo).proceed(`,"value":null`, `,"added":true`, `,"status":503`)
		delete(h.Vars, vars.TokenObject)
		c.proceed(``).want(apierror.TokenEndpointUnavailable, `"retry_after":1`)
	}
}

func TestAWaitCountsFromTheFailure(t *testing.T) {
	h := newHost(t)
	h.getToken("", asks(503, "").after(20)).wantError(apierror.TokenEndpointUnavailable, 1)
	h.getToken("").wantError(apierror.TokenEndpointUnavailable, 1)
	h.Clock++
	h.getToken("", grants("t-one", 3600)).wantToken("t-one", noon+21+3600)
}

// A host that does not keep a var, or ends the call that sets it, has no room for it. From
// then on requests are not prepared.
func TestAHostWithoutRoomForAPreparedRequest(t *testing.T) {
	for _, ends := range []bool{false, true} {
		h := newHost(t)
		h.getToken("", grants(strings.Repeat("t", 200), 3600))
		h.room, h.roomEnds = 400, ends // the token has been kept
		if trapped := traps(func() { h.steer("list_jobs", `["wait"]`) }); trapped != ends {
			t.Errorf("ends %v, trapped %v", ends, trapped)
		}
		for range 2 {
			h.steer("list_jobs", `["wait"]`).want(`"last":true`)
			h.steer("list_jobs", storeToo).want(`"last":true`)
			h.listJobs("", jobs(strings.Repeat("t", 200), 200)).wantResponse()
		}
		if h.Vars[vars.JobsRequest] != nil {
			t.Error("there was room")
		}
	}
}

// A token whose object is gone is dropped for all calls, not only for the one that noticed.
func TestATokenWithoutItsObjectIsForgotten(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	delete(h.Vars, vars.TokenObject)
	c := h.steer("list_jobs", storeToo).proceed(`,"value":null`, `,"added":false`)
	c.want(`"op":"get"`, `:asking"`)
	c.proceed(`,"value":"{\"state\":\"asking\"}"`).want(`"step":"wait"`)
}

func TestAHostWithoutRoomForTheToken(t *testing.T) {
	h := newHost(t)
	h.room, h.roomEnds = 300, true
	token := strings.Repeat("t", 300)
	c := h.steer("get_token", `["wait"]`)
	if !traps(func() { c.proceed(strings.Replace(tokenResponse, "t-one", token, 1)) }) {
		t.Fatal("there is room")
	}
	h.steer("get_token", `["wait"]`).want(apierror.TokenResponseInvalid, "max_var_bytes", `"retry_after":1`)
}

// What a call needs to replace the token fits when nothing else does.
func TestATokenThatWasSetLeavesRoomForItsReplacement(t *testing.T) {
	fill := func(h *host) {
		room := h.SizeWith("", nil)
		h.Keeps = func(name string, value []byte) bool {
			if len(value) > 0 && h.SizeWith(name, value) > room {
				t.Fatalf("%s does not fit", name)
			}
			return true
		}
	}
	token := strings.Repeat("t", 300)
	renewed := newHost(t)
	renewed.set(token, noon+3600)
	renewed.steer("list_jobs", `["wait"]`)
	fill(renewed)
	renewed.Clock = noon + 3590
	renewed.steer("list_jobs", `["wait"]`).want(`"for":"token"`)

	refused := newHost(t)
	refused.set(token, noon+3600)
	c := refused.beginListJobs("")
	fill(refused)
	if c.take(jobs(token, 401)).request() != tokenRequest {
		t.Errorf("no token request, but %s", c.result())
	}
}

func TestAStepThatTheHostHasNoRoomForIsNotTheOldOne(t *testing.T) {
	h := newHost(t)
	h.set("t-one", noon+3600)
	h.steer("get_token", `["wait"]`)
	h.Keeps = func(name string, value []byte) bool { return name != vars.TokenStep || len(value) == 0 }
	h.set("t-one", noon+7200)
	for range 2 {
		h.steer("get_token", `["wait"]`).want(fmt.Sprint(noon + 7200))
	}
}

func TestAStoreWithoutItsRefusedTokenIsNotWrittenTo(t *testing.T) {
	h := newHost(t)
	object := h.getToken("", grants("t-one", 3600)).object()
	stored, _ := json.Marshal(string(object))
	c := &steered{host: h}
	c.next(call.Begin(h, []byte(`{"call":"get_token","accepts":`+storeToo+`,"input":{"refused":"t-one"}}`)))
	c.proceed(`,"value":`+string(stored), `,"added":false`, `,"value":null`, `,"value":null`, `,"added":true`).want(`"for":"token"`)
	c.proceed(`,"status":503`).want(`"op":"set"`, `:asking"`)
}

func TestTheBodyOfARefusalIsNotRepeated(t *testing.T) {
	h := newHost(t)
	c := h.steer("list_jobs", `["wait"]`).proceed(strings.Replace(tokenResponse, "t-one", "a-new-token", 1))
	c.proceed(`,"status":401,"body":"the reason"`).want(`"body":"the reason"`)
	c = h.steer("list_jobs", `["wait"]`).proceed(`,"status":401,"body":"another"`)
	if c.want(apierror.ServiceUnauthorized); strings.Contains(c.output, "the reason") {
		t.Errorf("within the backoff: %s", c.output)
	}
	failure := h.getToken(`{"force":true}`).wantError(apierror.ServiceUnauthorized, 1)
	if failure["body"] != nil {
		t.Errorf("the last error again: %v", failure)
	}
}
