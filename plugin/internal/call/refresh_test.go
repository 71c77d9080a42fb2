package call_test

import (
	"testing"

	"automatic-rostering/plugin/internal/apierror"
)

// failures are the ways in which a token request can fail, and the error of each.
var failures = []struct {
	name string
	turn turn
	code string
}{
	{"a redirect", asks(302, ""), apierror.TokenEndpointRejected},
	{"400", asks(400, `{"error":"invalid_client"}`), apierror.TokenEndpointRejected},
	{"401", asks(401, ""), apierror.TokenEndpointRejected},
	{"408", asks(408, ""), apierror.TokenEndpointUnavailable},
	{"429", asks(429, ""), apierror.TokenEndpointUnavailable},
	{"500", asks(500, ""), apierror.TokenEndpointUnavailable},
	{"200 without a token", asks(200, "{}"), apierror.TokenResponseInvalid},
	{"200 with an error", asks(200, `{"error":"x"}`), apierror.TokenResponseInvalid},
	{"200 with a token that has expired", asks(200, `{"access_token":"t","token_type":"Bearer","expires_in":0}`), apierror.TokenResponseInvalid},
	{"no answer", asks(0, ""), apierror.NetworkError},
	{"a body cut off by the host", asks(200, "\x00"), apierror.NetworkError},
}

func TestTheFirstTokenRequestFails(t *testing.T) {
	for _, tt := range failures {
		t.Run(tt.name, func(t *testing.T) {
			newHost(t).getToken("", tt.turn).wantError(tt.code, 1)
			newHost(t).listJobs("", tt.turn).wantError(tt.code, 1)
		})
	}
}

func TestTheOldTokenIsUsedIfItsRenewalFails(t *testing.T) {
	for _, tt := range failures {
		for _, at := range []int64{3540, 3599} { // the margin's first and last second
			t.Run(tt.name, func(t *testing.T) {
				h := newHost(t)
				h.getToken("", grants("t-one", 3600))
				h.now = noon + at
				h.getToken("", tt.turn).wantToken("t-one", noon+3600)
				if h.warnings() != 1 {
					t.Error("get_token: want one warning")
				}
				h = newHost(t)
				h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
				h.now = noon + at
				h.listJobs("", tt.turn, jobs("t-one", 200)).wantAnswer()
				if h.warnings() != 1 {
					t.Error("list_jobs: want one warning")
				}
			})
		}
	}
}

func TestAnExpiredTokenIsNotUsed(t *testing.T) {
	for _, tt := range failures {
		t.Run(tt.name, func(t *testing.T) {
			for _, at := range []int64{3600, 3601, 100_000} {
				h := newHost(t)
				h.getToken("", grants("t-one", 3600))
				h.now = noon + at
				h.getToken("", tt.turn).wantError(tt.code, 1)
				h.listJobs("").wantError(tt.code, 1)
				if h.warnings() != 0 {
					t.Errorf("at %d: a warning", at)
				}
			}
		})
	}
}

func TestATokenThatExpiresDuringItsRenewalIsNotUsed(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now = noon + 3590
	h.listJobs("", asks(500, "").after(9), jobs("t-one", 200)).wantAnswer()
	h = newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now = noon + 3590
	h.listJobs("", asks(500, "").after(10)).wantError(apierror.TokenEndpointUnavailable, 1)
}

func TestTheOldTokenIsUsedDuringABackOff(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now = noon + 3540
	h.getToken("", asks(503, "").withRetryAfter("30"))
	h.warnings()
	h.now += 29
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	h.getToken("").wantToken("t-one", noon+3600)
	if n := h.warnings(); n != 2 {
		t.Errorf("%d warnings, want one in each call", n)
	}
	h.now++
	h.listJobs("", grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
}

func TestTheWaitOutlivesTheOldToken(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now = noon + 3590
	h.getToken("", asks(503, "").withRetryAfter("30")).wantToken("t-one", noon+3600)
	h.now = noon + 3600
	h.getToken("").wantError(apierror.TokenEndpointUnavailable, 20)
}

func TestAFailedForceIsAnErrorAndKeepsTheOldToken(t *testing.T) {
	for _, tt := range failures {
		t.Run(tt.name, func(t *testing.T) {
			for _, at := range []int64{0, 3599} { // outside and inside of the margin
				h := newHost(t)
				h.getToken("", grants("t-one", 3600))
				h.now = noon + at
				h.getToken(`{"force":true}`, tt.turn).wantError(tt.code, 1)
				h.getToken("").wantToken("t-one", noon+3600)
				h.listJobs("", jobs("t-one", 200)).wantAnswer()
			}
		})
	}
}
