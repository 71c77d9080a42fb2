package call_test

import "testing"

// line is the debug line of a request.
func line(status, request string) string { return "debug: HTTP " + status + " to " + request }

const (
	toToken = "POST auth.example/id/connect/token"
	toJobs  = "GET api.example/v1/jobs"
)

func TestOneDebugLineForEachRequest(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
	h.wantLog(line("200", toToken), line("200", toJobs))
	for _, status := range []int{200, 201, 204, 404, 500} { // of the prepared request
		h.listJobs("", jobs("t-one", status))
	}
	h.wantLog(line("200", toJobs), line("201", toJobs), line("204", toJobs), line("404", toJobs), line("500", toJobs))
	h.listJobs(`{"user_id":"u1"}`, jobsAs("c0", "u1", "t-one", 503))
	h.wantLog(line("503", toJobs))
	h.getToken("")
	h.wantLog()
	h.getToken(`{"force":true}`, asks(400, ""))
	h.wantLog(line("400", toToken))
	h.getToken(`{"force":true}`)
	h.wantLog()
}

func TestNoLineForARequestWithoutAnAnswer(t *testing.T) {
	h := newHost(t)
	h.getToken("", asks(0, ""))
	h.now++
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 0))
	h.listJobs("", jobs("t-one", 0))
	h.wantLog(line("200", toToken))
}

func TestOneWarningForARecovered401(t *testing.T) {
	h := newHost(t)
	h.getToken("", grants("t-one", 3600))
	h.log = nil
	h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 200))
	h.wantLog(line("401", toJobs), line("200", toToken), line("200", toJobs), "warn")
	h.listJobs("", jobs("t-two", 401), grants("t-three", 3600), jobs("t-three", 401))
	h.wantLog(line("401", toJobs), line("200", toToken), line("401", toJobs))
}

func TestOneWarningForAnOldToken(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
	h.log = nil
	h.now = noon + 3540
	h.listJobs("", asks(500, ""), jobs("t-one", 200))
	h.wantLog(line("500", toToken), "warn", line("200", toJobs))
	h.getToken("")
	h.wantLog("warn")
}

func TestOneWarningForAnUnusableClock(t *testing.T) {
	h := newHost(t)
	h.now = 0
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
	h.wantLog("warn", line("200", toToken), line("200", toJobs))
	h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 200))
	h.wantLog("warn", line("401", toJobs), line("200", toToken), line("200", toJobs), "warn")
}
