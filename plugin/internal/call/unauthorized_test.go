package call_test

import (
	"testing"

	"automatic-rostering/plugin/internal/apierror"
)

const unauthorized = apierror.ServiceUnauthorized

func TestA401IsRecoveredOnce(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
	if n := h.warnings(); n != 1 {
		t.Errorf("%d warnings, want one", n)
	}
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
	h.getToken("").wantToken("t-two", noon+3600)
	if n := h.warnings(); n != 0 {
		t.Errorf("%d warnings later", n)
	}
}

func TestA401OfAPreparedRequestIsRecoveredForTheSameIDs(t *testing.T) {
	const input = `{"customer_id":"c1","user_id":null}`
	h := newHost(t)
	h.listJobs(input, grants("t-one", 3600), jobsAs("c1", "", "t-one", 200))
	h.listJobs(input, jobsAs("c1", "", "t-one", 401), grants("t-two", 3600), jobsAs("c1", "", "t-two", 200)).wantAnswer()
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
}

func TestARepeatThatFailsOtherwiseIsTheResult(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 503)).wantError(apierror.ServiceError, 0)
	if n := h.warnings(); n != 0 {
		t.Errorf("%d warnings, but nothing is recovered", n)
	}
	h.getToken("").wantToken("t-two", noon+3600)
}

func TestA401OnTheRepeatIsTheResult(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	got := h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 401)).wantError(unauthorized, 1)
	if got["status"] != 401.0 || got["body"] != `{"jobs":[]}` || got["retryable"] != false {
		t.Errorf("got %v", got)
	}
	h.getToken("").wantToken("t-two", noon+3600)
}

func TestA401WithANewTokenBeginsABackOffAndKeepsTheToken(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 401)).wantError(unauthorized, 1)
	h.getToken("").wantToken("t-one", noon+3600)
	h.getToken(`{"force":true}`).wantError(unauthorized, 1)
	h.listJobs("", jobs("t-one", 401)).wantError(unauthorized, 1)

	h.now++
	h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 401)).wantError(unauthorized, 2)
	h.now++
	h.listJobs("", jobs("t-two", 401)).wantError(unauthorized, 1)
	h.now++
	h.listJobs("", jobs("t-two", 401), grants("t-three", 3600), jobs("t-three", 401)).wantError(unauthorized, 4)
	h.getToken("").wantToken("t-three", noon+3+3600)
}

func TestTheErrorOfABackOffAfterA401HasNoBody(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 401)).wantError(unauthorized, 1)
	if got := h.getToken(`{"force":true}`).wantError(unauthorized, 1); got["body"] != nil || got["status"] != 401.0 {
		t.Errorf("got %v; the body belongs to the answer of another call", got)
	}
}

func TestA2xxEndsTheBackOffOfA401(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 401)).wantError(unauthorized, 1)
	h.now++
	h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 401)).wantError(unauthorized, 2)
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
	h.getToken(`{"force":true}`, asks(500, "")).wantError(unavailable, 1)
}

func TestOtherAnswersDoNotEndTheBackOffOfA401(t *testing.T) {
	for _, status := range []int{0, 403, 404, 500} {
		h := newHost(t)
		h.listJobs("", grants("t-one", 3600), jobs("t-one", 401)).wantError(unauthorized, 1)
		h.listJobs("", jobs("t-one", status))
		h.getToken(`{"force":true}`).wantError(unauthorized, 1)
	}
}

func TestTheBackOffOfA401EndsOnce(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 401)).wantError(unauthorized, 1)
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	fail(h, 1, 2)
	h.listJobs("", jobs("t-one", 200)).wantAnswer() // of the old token, which says nothing of these failures
	h.getToken(`{"force":true}`, asks(500, "")).wantError(unavailable, 4)
}

func TestA401WithinTheWaitIsTheResultAndKeepsTheToken(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.getToken(`{"force":true}`, asks(503, "").withRetryAfter("10")).wantError(unavailable, 10)
	h.now += 3
	h.listJobs("", jobs("t-one", 401)).wantError(unauthorized, 7)
	h.listJobs("", jobs("t-one", 401).after(6)).wantError(unauthorized, 1)
	h.getToken("").wantToken("t-one", noon+3600)
	h.listJobs("", jobs("t-one", 401).after(1), grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
}

func TestA401OfAnOldTokenAfterAFailedRenewalIsTheResult(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now = noon + 3540
	h.listJobs("", asks(500, ""), jobs("t-one", 401)).wantError(unauthorized, 1)
	h.listJobs("", jobs("t-one", 401)).wantError(unauthorized, 1)
	h.now++
	h.listJobs("", grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
}

func TestA401AfterAFailedRenewalIsTheResultAlsoWhenTheWaitIsOver(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now = noon + 3540
	h.listJobs("", asks(500, ""), jobs("t-one", 401).after(5)).wantError(unauthorized, 0) // one token request in a call
}

func TestAFailedRenewalAfterA401IsTheResult(t *testing.T) {
	for _, tt := range failures {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t)
			h.getToken("", grants("t-one", 3600))
			h.listJobs("", jobs("t-one", 401), tt.turn).wantError(tt.code, 1)
			if n := h.warnings(); n != 0 {
				t.Errorf("%d warnings, but no token is left to be used", n)
			}
			h.getToken("").wantError(tt.code, 1) // the refused token is gone
			h.listJobs("").wantError(tt.code, 1)
			h.now++
			h.listJobs("", grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
		})
	}
}

func TestARenewalAfterA401ThatTrapsLeavesNoToken(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
	h.beginListJobs("").take(jobs("t-one", 401)).request()
	h.listJobs("").wantError(apierror.NetworkError, 1)
	h.now++
	h.listJobs("", grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
}

func TestA401InTheMarginIsRenewedByTheRenewalAlone(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now = noon + 3540
	h.listJobs("", grants("t-two", 3600), jobs("t-two", 401)).wantError(unauthorized, 1)
}
