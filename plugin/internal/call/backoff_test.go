package call_test

import (
	"testing"

	"automatic-rostering/plugin/internal/apierror"
)

const unavailable = apierror.TokenEndpointUnavailable

func TestTheWaitDoublesUpToAMinute(t *testing.T) {
	h := newHost(t)
	for _, wait := range []int64{1, 2, 4, 8, 16, 32, 60, 60, 60} {
		h.getToken("", asks(500, "")).wantError(unavailable, wait)
		for _, left := range []int64{wait, (wait + 1) / 2, 1} {
			h.now += wait - left
			h.getToken("").wantError(unavailable, left)
			h.listJobs("").wantError(unavailable, left)
			h.getToken(`{"force":true}`).wantError(unavailable, left)
			h.now -= wait - left
		}
		h.now += wait
	}
	h.getToken("", grants("t-one", 3600)).wantToken("t-one", h.now+3600)
}

func TestTheWaitGivesTheLastErrorAgain(t *testing.T) {
	h := newHost(t)
	first := h.getToken("", asks(400, `{"error":"invalid_client","error_description":"no \"such\" client"}`).withRetryAfter("9")).
		wantError(apierror.TokenEndpointRejected, 9)
	h.now += 4
	again := h.listJobs("").wantError(apierror.TokenEndpointRejected, 5)
	if again["oauth_error"] != "invalid_client" || again["oauth_error_description"] != `no "such" client` || again["status"] != 400.0 {
		t.Errorf("got %v", again)
	}
	delete(first, "retry_after")
	delete(again, "retry_after")
	for key, value := range first {
		if again[key] != value {
			t.Errorf("%s is %v, want %v", key, again[key], value)
		}
	}
}

func TestTheWaitCountsFromTheFailure(t *testing.T) {
	h := newHost(t)
	h.getToken("", asks(500, "").after(30)).wantError(unavailable, 1)
	h.getToken("").wantError(unavailable, 1)
	h.now++
	h.getToken("", asks(500, "").after(30).withRetryAfter("10")).wantError(unavailable, 10)
	h.getToken("").wantError(unavailable, 10)
}

func TestRetryAfterIsTheWait(t *testing.T) {
	for _, tt := range []struct {
		name, header string
		want         int64
	}{
		{"seconds", "7", 7},
		{"zero counts as one", "0", 1},
		{"an hour", "3600", 3600},
		{"more than an hour", "3601", 3600},
		{"a date is ignored", "Fri, 15 Jan 2027 08:00:09 GMT", 1},
		{"a negative number is ignored", "-7", 1},
		{"text is ignored", "soon", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, failure := range failures {
				h := newHost(t)
				h.getToken("", failure.turn.withRetryAfter(tt.header)).wantError(failure.code, tt.want)
				h.now += tt.want - 1
				h.listJobs("").wantError(failure.code, 1)
				h.now++
				h.listJobs("", grants("t-one", 3600), jobs("t-one", 200)).wantAnswer()
			}
		})
	}
}

func TestARequestThatTrapsCountsAsAFailure(t *testing.T) {
	h := newHost(t)
	h.beginGetToken("").request() // and no answer ever
	h.getToken("").wantError(apierror.NetworkError, 1)
	h.listJobs("").wantError(apierror.NetworkError, 1)
	h.now++
	h.beginListJobs("").request()
	h.getToken(`{"force":true}`).wantError(apierror.NetworkError, 2)
	h.now++
	if again := h.getToken("").wantError(apierror.NetworkError, 1); again["retryable"] != true {
		t.Errorf("got %v", again)
	}
	h.now++
	h.getToken("", asks(500, "")).wantError(unavailable, 4)
}

func TestARenewalThatTrapsLeavesTheOldToken(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now = noon + 3540
	h.beginListJobs("").request()
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
}

func TestAServiceRequestThatTrapsBeginsNoBackOff(t *testing.T) {
	h := newHost(t)
	h.beginListJobs("").take(grants("t-one", 3600)).request()
	h.getToken("").wantToken("t-one", noon+3600)
	h.getToken(`{"force":true}`, asks(500, "")).wantError(unavailable, 1)
}

// fail makes token requests fail, once for each wait that follows, and waits.
func fail(h *host, waits ...int64) {
	h.t.Helper()
	for _, wait := range waits {
		h.getToken(`{"force":true}`, asks(500, "")).wantError(unavailable, wait)
		h.now += wait
	}
}

func TestWhatEndsABackOff(t *testing.T) {
	const ended, goesOn = true, false
	for _, tt := range []struct {
		name string
		call func(h *host)
		want bool
	}{
		{"nothing", func(h *host) {}, goesOn},
		{"get_token with a new token", func(h *host) {
			h.getToken(`{"force":true}`, grants("t-two", 3600)).wantToken("t-two", h.now+3600)
		}, ended},
		{"get_token with the old token does not", func(h *host) { h.getToken("").wantToken("t-one", noon+3600) }, goesOn},
		{"list_jobs with a new token", func(h *host) {
			h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
		}, ended},
		{"list_jobs with the old token does not", func(h *host) { h.listJobs("", jobs("t-one", 200)).wantAnswer() }, goesOn},
		{"a failed list_jobs with a new token does not", func(h *host) {
			h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 500)).wantError(apierror.ServiceError, 0)
		}, goesOn},
		{"nor does one without an answer", func(h *host) {
			h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 0)).wantError(apierror.NetworkError, 0)
		}, goesOn},
		{"nor does a list_jobs that traps", func(h *host) {
			h.listJobs("", jobs("t-one", 401), grants("t-two", 3600)).request()
		}, goesOn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for next, waits := range map[int64][]int64{2: {1}, 4: {1, 2}} {
				h := newHost(t)
				h.getToken("", grants("t-one", 3600))
				fail(h, waits...)
				tt.call(h)
				if tt.want == ended {
					next = 1
				}
				h.getToken(`{"force":true}`, asks(500, "")).wantError(unavailable, next)
			}
		})
	}
}

func TestOnlyA401OfTheServiceAsksForAToken(t *testing.T) {
	for _, status := range []int{302, 400, 402, 403, 404, 407, 408, 429, 500, 503} {
		h := newHost(t)
		h.getToken("", grants("t-one", 3600))
		got := h.listJobs("", jobs("t-one", status)).wantError(apierror.ServiceError, 0)
		if got["status"] != float64(status) || got["body"] != `{"jobs":[]}` {
			t.Errorf("%d: got %v", status, got)
		}
		h.listJobs("", jobs("t-one", 200)).wantAnswer()
		h.getToken(`{"force":true}`, asks(500, "")).wantError(unavailable, 1)
	}
}
