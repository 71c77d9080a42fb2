package call_test

import "testing"

// Several calls can be under way on one instance, each with its own flow.

func TestANewerTokenIsUsedInsteadOfAskingForOne(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
	a := h.beginListJobs("")
	h.getToken(`{"force":true}`, grants("t-two", 3600)).wantToken("t-two", noon+3600)
	h.log = nil
	a.take(jobs("t-one", 401), jobs("t-two", 200)).wantAnswer()
	if n := h.warnings(); n != 1 {
		t.Errorf("%d warnings, want one for the recovered 401", n)
	}
	h.getToken("").wantToken("t-two", noon+3600)
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
}

func TestANewerTokenThatHasExpiredIsNotUsed(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	a := h.beginListJobs("")
	h.getToken(`{"force":true}`, grants("t-two", 60)).wantToken("t-two", noon+60)
	h.now += 60
	a.take(jobs("t-one", 401), grants("t-three", 3600), jobs("t-three", 200)).wantAnswer()
}

func TestTwoCallsRenewARefusedTokenOnce(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	a, b := h.beginListJobs(""), h.beginListJobs(`{"user_id":"u1"}`)
	a.take(jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
	b.take(jobsAs("c0", "u1", "t-one", 401), jobsAs("c0", "u1", "t-two", 200)).wantAnswer()
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
}

func TestA401WithTheNewerTokenIsTheResultAndAsksForNone(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	a := h.beginListJobs("")
	h.getToken(`{"force":true}`, grants("t-two", 3600))
	a.take(jobs("t-one", 401), jobs("t-two", 401)).wantError(unauthorized, 0)
}

func TestA401WhileAnotherCallWaitsForATokenIsTheResult(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	a, b := h.beginListJobs(""), h.beginListJobs("")
	a.take(jobs("t-one", 401)) // and asks for a token
	b.take(jobs("t-one", 401)).wantError(unauthorized, 1)
	a.take(grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
	h.getToken("").wantToken("t-two", noon+3600)
}

func TestA401DropsNoTokenThatTwoCallsAskedForAtATime(t *testing.T) {
	h := newHost(t)
	a := h.beginGetToken("")
	h.now += 2 // beyond the wait that a's attempt began
	b := h.beginGetToken("")
	b.take(grants("t-one", 3600)).wantToken("t-one", noon+2+3600)
	c := h.beginListJobs("")
	a.take(grants("t-two", 3600)).wantToken("t-two", noon+3600)
	c.take(jobs("t-one", 401), jobs("t-two", 200)).wantAnswer()
	h.getToken("").wantToken("t-two", noon+3600)
}

func TestA401DropsNoTokenThatFollowedADroppedOne(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	a := h.beginListJobs("")
	h.listJobs("", jobs("t-one", 401), asks(503, "")).wantError(unavailable, 1)
	h.now++
	h.getToken("", grants("t-two", 3600)).wantToken("t-two", noon+1+3600)
	a.take(jobs("t-one", 401), jobs("t-two", 200)).wantAnswer()
	h.getToken("").wantToken("t-two", noon+1+3600)
}

func TestTheEndOfABackOffMixesNoIDs(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 401)).wantError(unauthorized, 1)
	a := h.beginListJobs("")
	h.beginListJobs(`{"customer_id":"c1"}`).request() // prepares for other ids
	a.take(jobs("t-one", 200)).wantAnswer()
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	h.listJobs(`{"customer_id":"c1"}`, jobsAs("c1", "u0", "t-one", 200)).wantAnswer()
}

func TestTheBeginningOfABackOffMixesNoIDs(t *testing.T) {
	h := newHost(t)
	a := h.beginListJobs("").take(grants("t-one", 3600))
	h.listJobs(`{"customer_id":"c1"}`, jobsAs("c1", "u0", "t-one", 200)).wantAnswer()
	a.take(jobs("t-one", 401)).wantError(unauthorized, 1)
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	h.listJobs(`{"customer_id":"c1"}`, jobsAs("c1", "u0", "t-one", 200)).wantAnswer()
}

func TestAFailedRenewalMixesNoIDs(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
	h.now = noon + 3540
	a := h.beginListJobs("")
	h.now += 2 // beyond the wait that a's attempt began
	h.listJobs(`{"customer_id":"c1"}`, grants("t-two", 3600), jobsAs("c1", "u0", "t-two", 200)).wantAnswer()
	a.take(asks(503, ""), jobs("t-two", 200)).wantAnswer()
	h.listJobs(`{"customer_id":"c1"}`, jobsAs("c1", "u0", "t-two", 200)).wantAnswer()
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
	h.getToken("").wantToken("t-two", h.now+3600)
}

func TestARefusedNewTokenDoesNotStandForANewerOne(t *testing.T) {
	h := newHost(t)
	a := h.beginListJobs("").take(grants("t-one", 3600))
	h.now += 100
	h.getToken(`{"force":true}`, grants("t-two", 3600)).wantToken("t-two", noon+100+3600)
	a.take(jobs("t-one", 401)).wantError(unauthorized, 1)
	h.now = noon + 3600 // the refused one would have been renewed by now
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
	h.getToken("").wantToken("t-two", noon+100+3600)
}

func TestEachCallKeepsItsOwnNow(t *testing.T) {
	h := newHost(t)
	h.now = 0
	a := h.beginGetToken(`{"now":1800000000}`)
	b := h.beginGetToken(`{"now":1800000100}`)
	b.take(grants("t-two", 3600)).wantToken("t-two", noon+100+3600)
	a.take(grants("t-one", 3600)).wantToken("t-one", noon+3600)
}
