package call_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/call"
)

// steps is a call whose requests the host sends: begin and resume.
type steps struct {
	*host
	output string // of the last step, or the error
	failed bool
	// Of the last step; the flow as a host's JSON library hands it back.
	Step    string
	Flow    map[string]any
	Request json.RawMessage
	Output  json.RawMessage
}

func (h *host) steps(export, input string) *steps {
	h.t.Helper()
	s := &steps{host: h}
	if input != "" {
		input = `,"input":` + input
	}
	s.read(call.Begin(h, []byte(`{"call":"`+export+`"`+input+`}`)))
	return s
}

func (s *steps) read(step call.Step) {
	s.t.Helper()
	*s = steps{host: s.host, output: string(step.Output), failed: step.Kind == call.Fail}
	if s.failed {
		s.checkHidden("an error", s.output)
		return
	}
	if err := json.Unmarshal(step.Output, s); err != nil || step.Kind != call.Give {
		s.t.Fatalf("%s: %v", step.Output, err)
	}
	kept, _ := json.Marshal(s.Flow)
	s.checkHidden("a flow", string(kept))
	if s.Step == "done" && s.Request != nil || s.Step == "request" && (s.Request == nil || s.Flow == nil) {
		s.t.Fatalf("the step %s", step.Output)
	}
}

// resume hands in an answer, as the members of resume's input.
func (s *steps) resume(answer map[string]any) *steps {
	s.t.Helper()
	if s.Step != "request" {
		s.t.Fatalf("no request but %s", s.output)
	}
	answer["flow"] = s.Flow
	b, err := json.Marshal(answer)
	if err != nil {
		s.t.Fatal(err)
	}
	s.read(call.Resume(s.host, b))
	return s
}

// take wants the requests of the turns, and answers them.
func (s *steps) take(turns ...turn) *steps {
	s.t.Helper()
	for _, turn := range turns {
		var body struct{ Body string }
		if err := json.Unmarshal(s.Request, &body); err != nil {
			s.t.Fatalf("no request but %s", s.output)
		}
		if got := tell(&made{host: s.host}, s.Request, body.Body); got != turn.request {
			s.t.Fatalf("request:\n got %s\nwant %s", got, turn.request)
		}
		if turn.token != "" {
			s.tokens = append(s.tokens, turn.token)
		}
		s.now += turn.seconds
		s.resume(map[string]any{"status": turn.status, "body": turn.body, "headers": map[string]string{"retry-after": turn.retryAfter}})
	}
	return s
}

func (s *steps) wantDone() {
	s.t.Helper()
	if s.Step != "done" || s.Output != nil {
		s.t.Fatalf("got %s, want done", s.output)
	}
}

func (s *steps) wantToken(token string, expiresAt int64) {
	s.t.Helper()
	var got struct {
		AccessToken string `json:"access_token"`
		ExpiresAt   int64  `json:"expires_at"`
	}
	if err := json.Unmarshal(s.Output, &got); err != nil || s.Step != "done" || got.AccessToken != token || got.ExpiresAt != expiresAt {
		s.t.Fatalf("got %s, %v, want %s until %d", s.output, err, token, expiresAt)
	}
}

func (s *steps) wantError(code string, retryAfter float64) map[string]any {
	s.t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(s.output), &fields); err != nil || !s.failed {
		s.t.Fatalf("got %s, %v, want %s", s.output, err, code)
	}
	got, _ := fields["retry_after"].(float64)
	if fields["code"] != code || got != retryAfter || fields["body"] != nil {
		s.t.Fatalf("got %s, want %s, retry_after %v", s.output, code, retryAfter)
	}
	return fields
}

func TestStepsOfACall(t *testing.T) {
	h := newHost(t)
	h.steps("get_token", "").take(grants("t-one", 3600)).wantToken("t-one", noon+3600)
	h.steps("get_token", "").wantToken("t-one", noon+3600)
	h.steps("list_jobs", "").take(jobs("t-one", 200)).wantDone()
	h.steps("list_jobs", "").take(jobs("t-one", 200)).wantDone()
	h.steps("list_jobs", `{"user_id":"u1","customer_id":null}`).take(jobsAs("", "u1", "t-one", 204)).wantDone()
	h.steps("list_jobs", "").take(jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 200)).wantDone()
	h.wantLog(
		"debug: HTTP 200 to POST auth.example/id/connect/token",
		"debug: HTTP 200 to GET api.example/v1/jobs",
		"debug: HTTP 200 to GET api.example/v1/jobs",
		"debug: HTTP 204 to GET api.example/v1/jobs",
		"debug: HTTP 401 to GET api.example/v1/jobs",
		"debug: HTTP 200 to POST auth.example/id/connect/token",
		"debug: HTTP 200 to GET api.example/v1/jobs",
		"warn",
	)
	// A direct call goes on with the same token.
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
}

func TestStepsOfAnOwnRequest(t *testing.T) {
	h := newHost(t)
	own := func(token string, status int) turn {
		return turn{request: "PUT https://api.example/v1/jobs/1?a=b [Authorization: Bearer " + token +
			"] [CUSTOMER_ID: c0] [USER_ID: u0] [X-A: y] a=b", status: status}
	}
	input := `{"path":"/jobs/1?a=b","method":"PUT","headers":{"X-A":"y"},"body":"a=b"}`
	h.steps("send_request", input).take(grants("t-one", 3600), own("t-one", 200)).wantDone()
	h.steps("send_request", input).take(own("t-one", 401), grants("t-two", 3600), own("t-two", 201)).wantDone()
	h.sendRequest(input, own("t-two", 200)).wantAnswer()
	h.wantLog(
		"debug: HTTP 200 to POST auth.example/id/connect/token",
		"debug: HTTP 200 to PUT api.example/v1/jobs/1",
		"debug: HTTP 401 to PUT api.example/v1/jobs/1",
		"debug: HTTP 200 to POST auth.example/id/connect/token",
		"debug: HTTP 201 to PUT api.example/v1/jobs/1",
		"warn",
		"debug: HTTP 200 to PUT api.example/v1/jobs/1",
	)
}

func TestBeginRecordsNothing(t *testing.T) {
	h := newHost(t)
	before := len(h.vars)
	h.steps("list_jobs", "") // and never resumed
	if len(h.vars) != before {
		t.Errorf("begin left %d vars", len(h.vars))
	}
	h.steps("list_jobs", "").take(grants("t-one", 3600), jobs("t-one", 200)).wantDone()
}

func TestAFailureToldToResume(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer map[string]any
		reason string
	}{
		{"with a reason", map[string]any{"failed": "dial tcp: refused by " + secret}, "(dial tcp: refused by [redacted])"},
		{"without one", map[string]any{"failed": ""}, "did not answer;"},
		{"as a status", map[string]any{"status": 0}, "did not answer;"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t)
			e := h.steps("list_jobs", "").resume(tt.answer).wantError(apierror.NetworkError, 1)
			if message := fmt.Sprint(e["message"]); !strings.Contains(message, tt.reason) || !strings.Contains(message, "auth_url") {
				t.Errorf("the message is %q", message)
			}
			h.steps("list_jobs", "").wantError(apierror.NetworkError, 1) // waits
			h.now++
			e = h.steps("list_jobs", "").take(grants("t-one", 3600)).resume(tt.answer).wantError(apierror.NetworkError, 0)
			if message := fmt.Sprint(e["message"]); !strings.Contains(message, tt.reason) || !strings.Contains(message, "base_url") {
				t.Errorf("the message is %q", message)
			}
			h.steps("list_jobs", "").take(jobs("t-one", 200)).wantDone()
		})
	}
}

func TestAFailedRenewalInSteps(t *testing.T) {
	h := newHost(t)
	h.steps("get_token", "").take(grants("t-one", 3600))
	h.now += 3550
	h.steps("list_jobs", "").take(asks(500, "").after(1), jobs("t-one", 200)).wantDone()
	h.steps("list_jobs", "").take(jobs("t-one", 200)).wantDone() // within the wait
	h.now += 10
	h.steps("list_jobs", "").take(asks(500, ""), jobs("t-one", 401)).wantError(unauthorized, 2)
	h.now += 40
	h.steps("list_jobs", "").take(asks(500, "")).wantError(unavailable, 4)
}

func TestRetryAfterInSteps(t *testing.T) {
	h := newHost(t)
	h.steps("list_jobs", "").take(asks(429, "").withRetryAfter("90")).wantError(unavailable, 90)
	h.now += 89
	h.steps("get_token", "").wantError(unavailable, 1)
	h.now++
	h.steps("list_jobs", "").take(grants("t-one", 3600), jobs("t-one", 503).withRetryAfter("7")).wantError(apierror.ServiceError, 7)
	// The service's wait is the caller's to keep.
	h.steps("list_jobs", "").take(jobs("t-one", 403).withRetryAfter("7")).wantError(apierror.ServiceError, 0)
}

func TestATokensLifeCountsFromItsStep(t *testing.T) {
	h := newHost(t)
	h.steps("get_token", "").take(grants("t-one", 3600).after(100)).wantToken("t-one", noon+3600)
}

func TestTheClockOfSteps(t *testing.T) {
	answer := func(fields map[string]any) map[string]any {
		fields["status"], fields["body"] = 200, `{"access_token":"t-one","token_type":"Bearer","expires_in":100}`
		return fields
	}
	for _, tt := range []struct {
		name, input string
		clock       int64
		answer      map[string]any
		want        int64
	}{
		{"now in both", fmt.Sprintf(`{"now":%d}`, noon), 0, map[string]any{"now": noon + 50}, noon + 100},
		{"now in begin alone", fmt.Sprintf(`{"now":%d}`, noon), 0, map[string]any{}, noon + 100},
		{"the host's", "", noon, map[string]any{}, noon + 100},
		{"set back in between", fmt.Sprintf(`{"now":%d}`, noon), 0, map[string]any{"now": noon - 30}, noon + 70},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t)
			h.now = tt.clock
			h.steps("get_token", tt.input).resume(answer(tt.answer)).wantToken("t-one", tt.want)
		})
	}
	t.Run("none", func(t *testing.T) {
		h := newHost(t)
		h.now = 0
		h.steps("get_token", "").wantError(apierror.ClockUnusable, 0)
		h.steps("list_jobs", "").resume(answer(map[string]any{})).take(jobs("t-one", 200)).wantDone()
		h.now = noon
		h.steps("get_token", "").take(grants("t-two", 100)).wantToken("t-two", noon+100)
	})
}

func TestStepsOfTwoCallsInterleaved(t *testing.T) {
	h := newHost(t)
	a, b := h.steps("list_jobs", ""), h.steps("list_jobs", `{"user_id":"u1"}`)
	a.take(grants("t-one", 3600))
	b.take(grants("t-two", 3600))
	a.take(jobs("t-one", 200)).wantDone()
	b.take(jobsAs("c0", "u1", "t-two", 200)).wantDone()
	h.steps("list_jobs", "").take(jobs("t-two", 200)).wantDone()
}

// A refused newer token keeps its mark when a call with an older one succeeds.
func TestAnOlderTokensSuccessDoesNotEndTheBackOffOfANewerOne(t *testing.T) {
	h := newHost(t)
	h.steps("get_token", "").take(grants("t-one", 3600))
	a := h.steps("list_jobs", "")
	h.steps("get_token", `{"force":true}`).take(grants("t-two", 3600))
	h.steps("list_jobs", "").take(jobs("t-two", 401), grants("t-three", 3600), jobs("t-three", 401)).wantError(unauthorized, 1)
	a.take(jobs("t-one", 200)).wantDone()
	h.steps("list_jobs", "").take(jobs("t-three", 401)).wantError(unauthorized, 1)
}

func TestConfigThatIsGoneAtResume(t *testing.T) {
	for _, tt := range []struct{ call, input, key string }{
		{"list_jobs", "", "client_id"},
		{"send_request", `{"path":"/"}`, "base_url"},
	} {
		h := newHost(t)
		h.steps("get_token", "").take(grants("t-one", 60))
		if tt.call == "list_jobs" {
			h.now += 60
		}
		s := h.steps(tt.call, tt.input)
		h.config[tt.key] = ""
		if e := s.resume(map[string]any{"status": 200}).wantError(apierror.ConfigMissing, 0); e["key"] != tt.key {
			t.Errorf("the error is about %v", e["key"])
		}
	}
}

func TestWhatIsNoFlow(t *testing.T) {
	for _, f := range []string{
		`{}`,
		`{"call":"list_jobs","input":{}}`,
		`{"call":"set_token","at":1800000000,"token":0,"marks":3}`,
		`{"at":1800000000,"token":0,"marks":3}`,
		`{"call":"list_jobs","at":-1,"token":0,"marks":3}`,
		`{"call":"list_jobs","at":253402300800,"token":0,"marks":3}`,
		`{"call":"list_jobs","at":"1800000000","token":0,"marks":3}`,
		`{"call":"list_jobs","at":1800000000,"token":65536,"marks":3}`,
		`{"call":"list_jobs","at":1800000000,"token":0.5,"marks":3}`,
		`{"call":"list_jobs","at":1800000000,"token":0,"marks":16}`,
		`{"call":"list_jobs","at":1800000000,"token":0,"marks":1}`, // awaits what it did not ask for
		`{"call":"list_jobs","at":1800000000,"token":0,"marks":4}`, // a new token that it did not ask for
		`{"call":"list_jobs","at":1800000000,"token":0,"marks":7}`,
		`{"call":"get_token","at":1800000000,"token":0,"marks":0}`, // asks nothing of the service
		`{"call":"list_jobs","at":1800000000,"token":0,"marks":3,"url":"https://evil.example"}`,
		`{"call":"list_jobs","input":[],"at":1800000000,"token":0,"marks":3}`,
		`{"call":"list_jobs","input":{"force":true},"at":1800000000,"token":0,"marks":3}`,
		`{"call":"send_request","input":{"path":"//evil.example"},"at":1800000000,"token":0,"marks":3}`,
	} {
		h := newHost(t)
		s := &steps{host: h}
		s.read(call.Resume(h, []byte(`{"flow":`+f+`,"status":200}`)))
		if e := s.wantError(apierror.InvalidInput, 0); e["key"] != "flow" {
			t.Errorf("%s: the error is about %v", f, e["key"])
		}
		if len(h.vars) > 0 {
			t.Errorf("%s left something", f)
		}
	}
}

func TestStepsRefuseTheirInput(t *testing.T) {
	h := newHost(t)
	if e := h.steps("list_jobs", `{"user_id":"\n"}`).wantError(apierror.InvalidInput, 0); e["key"] != "user_id" {
		t.Errorf("the error is about %v, not the inner field", e["key"])
	}
	h.steps("list", "").wantError(apierror.InvalidInput, 0)
	s := h.steps("list_jobs", "")
	s.resume(map[string]any{"status": 200, "failed": "x"}).wantError(apierror.InvalidInput, 0)
}
