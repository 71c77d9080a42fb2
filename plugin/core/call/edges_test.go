package call_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/memory"
	"automatic-rostering/plugin/core/vars"
)

// Each of these tests is for a mutant that all others let live.

// edge is an instance, whose time is that of the inputs.
type edge struct {
	*memory.Host
	t *testing.T
}

const edgeKey = "rostering:https%3A%2F%2Fauth.example%2Fconnect%2Ftoken:client:automatic-rostering-stage"

func newEdge(t *testing.T) *edge {
	return &edge{t: t, Host: memory.New(map[string]string{
		"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://api.example",
		"client_id": "client", "client_secret": "the secret", "customer_id": "c", "user_id": "u",
	})}
}

func (e *edge) text(s *call.Step) string {
	if s.Kind == call.GiveHeld {
		return string(e.Held)
	}
	return string(s.Output)
}

// getToken begins a get_token at a time, in steps.
func (e *edge) getTokenAt(now int64, more string) string {
	return e.text(call.Begin(e, fmt.Appendf(nil, `{"call":"get_token","accepts":["wait","store"],"input":{"now":%d%s}}`, now, more)))
}

// listJobsAt begins a list_jobs at a time, in steps.
func (e *edge) listJobsAt(now int64) string {
	return e.text(call.Begin(e, fmt.Appendf(nil, `{"call":"list_jobs","accepts":["wait"],"input":{"now":%d}}`, now)))
}

func (e *edge) waitingTokenAt(now int64) string {
	return e.text(call.Begin(e, fmt.Appendf(nil, `{"call":"get_token","accepts":["wait"],"input":{"now":%d}}`, now)))
}

var edgeFlow = regexp.MustCompile(`"flow":(\{[^{}]*(\{[^{}]*\}[^{}]*)*\})`)

// resume passes the result of a step.
func (e *edge) resume(step, result string) string {
	e.t.Helper()
	flow := edgeFlow.FindStringSubmatch(step)
	if flow == nil {
		e.t.Fatalf("%s has no flow", step)
	}
	return e.text(call.Resume(e, []byte(`{"flow":`+flow[1]+result+`}`)))
}

// fill leaves no room for more than the vars have now.
func (e *edge) fill() {
	room := e.SizeWith("", nil)
	e.Keeps = func(name string, value []byte) bool {
		if len(value) > 0 && e.SizeWith(name, value) > room {
			e.t.Fatalf("%s does not fit", name)
		}
		return true
	}
}

func (e *edge) setToken(token string, now, expires int64) {
	e.t.Helper()
	s := call.SetToken(e, fmt.Appendf(nil, `{"access_token":%q,"expires_at":%d,"cache_key":%q,"now":%d}`, token, expires, edgeKey, now))
	if s.Kind == call.Fail {
		e.t.Fatal(string(s.Output))
	}
}

func wantStep(t *testing.T, step, begins string) {
	t.Helper()
	if !strings.HasPrefix(step, begins) {
		t.Errorf("got %s, want %s", step, begins)
	}
}

const (
	tokenStep = `{"step":"request","for":"token"`
	waitStep  = `{"step":"wait","for":"call"`
)

func TestACallThatEndsForItsConfigIsPendingNoMore(t *testing.T) {
	e := newEdge(t)
	step := e.waitingTokenAt(1_800_000_000)
	wantStep(t, step, tokenStep)
	e.Settings["client_id"] = ""
	wantStep(t, e.resume(step, `,"now":1800000001,"status":200`), `{"code":"config_missing"`)
	e.Settings["client_id"] = "client"
	wantStep(t, e.waitingTokenAt(1_800_000_002), tokenStep)
}

func TestAPendingCallOfAClockThatWasSetBack(t *testing.T) {
	for back, want := range map[int64]string{60: waitStep, 61: tokenStep} {
		e := newEdge(t)
		wantStep(t, e.waitingTokenAt(1_800_000_000), tokenStep)
		wantStep(t, e.waitingTokenAt(1_800_000_000-back), want)
	}
}

func TestAWaitIsRememberedForAResumeWithoutTime(t *testing.T) {
	e := newEdge(t)
	wantStep(t, e.waitingTokenAt(1_800_000_000), tokenStep)
	step := e.waitingTokenAt(1_800_000_028)
	wantStep(t, step, waitStep+`,"seconds":2.000`)
	wantStep(t, e.resume(step, ``), waitStep+`,"seconds":2.000`)
}

func TestAStepThatTheHostHasNoRoomForIsNotTheOldOne(t *testing.T) {
	e := newEdge(t)
	e.setToken("token", 1_800_000_000, 1_800_003_600)
	wantStep(t, e.waitingTokenAt(1_800_000_000), `{"step":"done"`)
	e.Keeps = func(name string, value []byte) bool { return name != vars.TokenStep || len(value) == 0 }
	e.setToken("token", 1_800_000_000, 1_800_007_200)
	for range 2 {
		if step := e.waitingTokenAt(1_800_000_001); !strings.Contains(step, `"expires_at":1800007200`) {
			t.Errorf("an old step: %s", step)
		}
	}
}

func TestAStoreWithoutItsRefusedTokenIsNotWrittenTo(t *testing.T) {
	e := newEdge(t)
	e.setToken("refused-1", 1_800_000_000, 1_800_003_600)
	step := e.getTokenAt(1_800_000_000, `,"refused":"refused-1"`)
	const now = `,"now":1800000000`
	refused := `{\"access_token\":\"refused-1\",\"token_type\":\"Bearer\",\"expires_at\":1800003600,\"cache_key\":\"` + edgeKey + `\"}`
	for _, result := range []string{`,"value":"` + refused + `"`, `,"added":false`, `,"value":null`, `,"value":null`, `,"added":true`} {
		step = e.resume(step, now+result)
	}
	wantStep(t, step, tokenStep)
	step = e.resume(step, now+`,"status":503`)
	if !strings.Contains(step, `"op":"set","key":"`+edgeKey+`:asking"`) {
		t.Errorf("not the lock: %s", step)
	}
}

func TestATokenThatIsNotKeptIsWorthARetry(t *testing.T) {
	e := newEdge(t)
	e.Keeps = func(name string, value []byte) bool { return name != vars.TokenObject || len(value) == 0 }
	step := e.getTokenAt(1_800_000_000, "")
	for _, result := range []string{
		`,"value":null`, `,"added":true`, `,"status":200,"body":"{\"access_token\":\"large\",\"token_type\":\"Bearer\",\"expires_in\":3600}"`, ``, ``,
	} {
		step = e.resume(step, `,"now":1800000000`+result)
	}
	if !strings.Contains(step, `"code":"token_response_invalid"`) || !strings.Contains(step, `"retryable":true`) {
		t.Error(step)
	}
}

func TestTheBodyOfARefusalIsNotRepeated(t *testing.T) {
	e := newEdge(t)
	step := e.resume(e.listJobsAt(1_800_000_000), `,"now":1800000000,"status":200,"body":"{\"access_token\":\"new-token\",\"token_type\":\"Bearer\",\"expires_in\":3600}"`)
	step = e.resume(step, `,"now":1800000000,"status":401,"body":"the reason"`)
	if !strings.Contains(step, `"body":"the reason"`) {
		t.Errorf("without its body: %s", step)
	}
	if calls := e.resume(e.listJobsAt(1_800_000_000), `,"now":1800000000,"status":401,"body":"another"`); strings.Contains(calls, "the reason") || !strings.Contains(calls, `"code":"service_unauthorized"`) {
		t.Errorf("within the backoff: %s", calls)
	}
	if failure := e.text(call.Begin(e, []byte(`{"call":"get_token","accepts":["wait"],"input":{"now":1800000000,"force":true}}`))); strings.Contains(failure, "body") || !strings.Contains(failure, `"retry_after"`) {
		t.Errorf("the last error again: %s", failure)
	}
}
