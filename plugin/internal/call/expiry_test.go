package call_test

import "testing"

func TestATokenIsAskedForOnceAndKept(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600)).wantToken("t-one", noon+3600)
	h.now += 100
	h.getToken("").wantToken("t-one", noon+3600)
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	h.getToken(`{"force":false}`).wantToken("t-one", noon+3600)
}

func TestListJobsAsksForATokenAndKeepsIt(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 200)).wantAnswer()
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	h.getToken("").wantToken("t-one", noon+3600)
}

func TestATokenIsRenewedAtTheExactSecond(t *testing.T) {
	for _, tt := range []struct {
		name     string
		margin   string
		lifetime int
		renewed  int64 // seconds after it was asked for
	}{
		{"a minute before it expires", "", 3600, 3540},
		{"at the margin", "100", 3600, 3500},
		{"when it expires, without a margin", "0", 3600, 3600},
		{"a second before it expires", "1", 3600, 3599},
		{"at half of a short life", "", 100, 50},
		{"at half of an odd life, rounded up", "", 101, 51},
		{"at half of the life, where that is the margin", "", 120, 60},
		{"at the margin, where half of the life is longer", "", 122, 62},
		{"at half of the life, with a huge margin", "999999", 3600, 1800},
		{"after a second, where that is the whole life", "", 1, 1},
		{"a minute before a day, however long it lives", "", 1_000_000, 86340},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t)
			h.config["refresh_margin"] = tt.margin
			h.getToken("", grants("t-one", tt.lifetime))
			expiry := noon + min(int64(tt.lifetime), 86400)

			h.now = noon + tt.renewed - 1
			h.getToken("").wantToken("t-one", expiry)
			h.listJobs("", jobs("t-one", 200)).wantAnswer()

			h.now = noon + tt.renewed
			h.listJobs("", grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
			h.getToken("").wantToken("t-two", h.now+3600)
		})
	}
}

func TestATokenWithoutALifetimeLivesFiveMinutes(t *testing.T) {
	h := newHost(t)
	h.getToken("", asks(200, `{"access_token":"t-one","token_type":"Bearer"}`)).wantToken("t-one", noon+300)
}

func TestExpiryCountsFromJustBeforeTheRequest(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600).after(100)).wantToken("t-one", noon+3600)
	h.now = noon + 3540
	h.listJobs("", grants("t-two", 3600).after(7), jobs("t-two", 200).after(9)).wantAnswer()
	h.getToken("").wantToken("t-two", noon+3540+3600)
}

func TestExpiryCountsFromTheRequestAfterA401(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.listJobs("", jobs("t-one", 401).after(20), grants("t-two", 3600).after(5), jobs("t-two", 200)).wantAnswer()
	h.getToken("").wantToken("t-two", noon+20+3600)
}

func TestForceAsksForANewToken(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.now += 10
	h.getToken(`{"force":true}`, grants("t-two", 60)).wantToken("t-two", noon+10+60)
	h.getToken("").wantToken("t-two", noon+10+60)
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
}
