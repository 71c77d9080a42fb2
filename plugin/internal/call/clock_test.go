package call_test

import (
	"fmt"
	"testing"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/clock"
)

// unusable are readings that no clock of a host can be trusted with, where the
// cached token was asked for at noon.
var unusable = map[string]int64{
	"no clock":                  0,
	"before the release":        clock.Released - 1,
	"the default of wazero":     1640995200,
	"set back by 61 s":          noon - 61,
	"beyond the year 9999":      clock.Latest + 1,
	"milliseconds":              noon * 1000,
	"before 1970, or no number": -1,
}

func TestGetTokenNeedsAClock(t *testing.T) {
	for name, now := range unusable {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.getToken("", grants("t-one", 3600))
			h.now = now
			h.getToken("").wantError(apierror.ClockUnusable, 0)
			h.getToken(`{"force":true}`).wantError(apierror.ClockUnusable, 0)
			h.now = noon
			h.getToken("").wantToken("t-one", noon+3600)
		})
	}
}

func TestGetTokenWithoutClockAndToken(t *testing.T) {
	h := newHost(t)
	h.now = 0
	h.getToken("").wantError(apierror.ClockUnusable, 0)
	h.now = clock.Released
	h.getToken("", grants("t-one", 3600)).wantToken("t-one", clock.Released+3600)
}

func TestListJobsUsesATokenWithoutAClock(t *testing.T) {
	for name, now := range unusable {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.getToken("", grants("t-one", 1))
			h.now = now
			h.listJobs("", jobs("t-one", 200)).wantAnswer()
			if n := h.warnings(); n != 1 {
				t.Errorf("%d warnings, want one", n)
			}
			h.listJobs("", jobs("t-one", 401), grants("t-two", 1), jobs("t-two", 200)).wantAnswer()
			h.listJobs("", jobs("t-two", 200)).wantAnswer()
		})
	}
}

func TestListJobsAsksForATokenWithoutAClock(t *testing.T) {
	h := newHost(t)
	h.now = 0
	h.listJobs("", grants("t-one", 60), jobs("t-one", 200)).wantAnswer()
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
}

func TestATokenOfUnknownExpiryIsReplacedByGetTokenAlone(t *testing.T) {
	h := newHost(t)
	h.now = 0
	h.listJobs("", grants("t-one", 60), jobs("t-one", 200))
	h.log = nil
	h.now = noon
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	h.now = noon + 100_000
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	if n := h.warnings(); n != 0 {
		t.Errorf("%d warnings with a clock", n)
	}
	h.getToken("", grants("t-two", 3600)).wantToken("t-two", h.now+3600)
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
}

func TestATokenOfUnknownExpiryIsNoSubstitute(t *testing.T) {
	h := newHost(t)
	h.now = 0
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
	h.now = noon
	h.getToken("", asks(500, "")).wantError(unavailable, 1)
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
}

func TestATokenThatWasReplacedWithoutAClockHasNoExpiry(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now = 0
	h.listJobs("", jobs("t-one", 401), grants("t-two", 60), jobs("t-two", 200)).wantAnswer()
	h.now = noon + 1000
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
	h.getToken("", grants("t-three", 60)).wantToken("t-three", noon+1060)
}

func TestThereIsNoWaitWithoutAClock(t *testing.T) {
	h := newHost(t)
	h.now = 0
	for range 3 {
		h.listJobs("", asks(500, "")).wantError(unavailable, 0)
	}
	h.listJobs("", asks(503, "").withRetryAfter("7")).wantError(unavailable, 7) // the server's own
	h.beginListJobs("").request()                                               // a trap
	h.listJobs("", grants("t-one", 60), jobs("t-one", 401)).wantError(unauthorized, 0)
	h.listJobs("", jobs("t-one", 401), grants("t-two", 60), jobs("t-two", 200)).wantAnswer()
}

func TestAWaitIsNotHeldToWithoutAClock(t *testing.T) {
	h := newHost(t)
	h.getToken("", asks(503, "").withRetryAfter("3600")).wantError(unavailable, 3600)
	h.now = 0
	h.listJobs("", grants("t-one", 60), jobs("t-one", 200)).wantAnswer()
}

func TestAClockMayBeSetBackByAMinute(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now = noon - 60
	h.getToken("").wantToken("t-one", noon+3600)
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	if n := h.warnings(); n != 0 {
		t.Errorf("%d warnings", n)
	}
}

func TestNowReplacesTheClock(t *testing.T) {
	for name, now := range unusable {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.now = now
			h.getToken(fmt.Sprintf(`{"now":%d.9}`, noon), grants("t-one", 3600)).wantToken("t-one", noon+3600)
			h.getToken(fmt.Sprintf(`{"now":%d}`, noon+3539)).wantToken("t-one", noon+3600)
			h.listJobs(fmt.Sprintf(`{"now":%d}`, noon+3540), grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
			if n := h.warnings(); n != 0 {
				t.Errorf("%d warnings", n)
			}
		})
	}
}

func TestNowIsHeldToTheRulesOfAClock(t *testing.T) {
	for name, now := range unusable {
		if now > clock.Latest {
			continue // package input refuses it
		}
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.getToken("", grants("t-one", 3600))
			input := fmt.Sprintf(`{"now":%d}`, now)
			h.getToken(input).wantError(apierror.ClockUnusable, 0)
			h.listJobs(input, jobs("t-one", 200)).wantAnswer()
			if n := h.warnings(); n != 1 {
				t.Errorf("%d warnings, want one", n)
			}
		})
	}
}

func TestNowHoldsForItsCallAlone(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.getToken(fmt.Sprintf(`{"now":%d}`, noon+3600), asks(500, "")).wantError(unavailable, 1)
	h.getToken("").wantToken("t-one", noon+3600)
}
