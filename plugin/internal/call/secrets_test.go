package call_test

import (
	"net/url"
	"strings"
	"testing"
)

// echo makes an answer hold the client's secret and tokens, each as it is, form- and
// JSON-escaped: some services give back what they were sent. The call must hide all.
func (h *host) echo(turn turn, tokens ...string) turn {
	for _, hidden := range append(tokens, secret) {
		form := strings.ReplaceAll(url.QueryEscape(hidden), "-", "%2d")
		inJSON := strings.NewReplacer("-", `\u002D`, "/", `\/`).Replace(hidden)
		for _, written := range []string{hidden, form, inJSON} {
			h.tokens = append(h.tokens, written)
			turn.body += written + " "
		}
	}
	return turn
}

// oauth makes an answer's body the text of an OAuth error.
func oauth(turn turn) turn {
	text := strings.ReplaceAll(turn.body, `\`, `\\`)
	turn.body = `{"error":"` + text + `","error_description":"` + text + `"}`
	return turn
}

func TestNoSecretThatTheTokenEndpointEchoesIsInAnError(t *testing.T) {
	for _, status := range []int{200, 302, 400, 500} {
		h := newHost(t)
		h.getToken("", oauth(h.echo(asks(status, ""))))
		h.getToken("") // the same error again
		h.now++
		h.getToken("", grants("t-one", 3600))
		h.getToken(`{"force":true}`, oauth(h.echo(asks(status, ""), "t-one")))
		h.getToken(`{"force":true}`)
		h.now += 10
		h.listJobs("", jobs("t-one", 401), oauth(h.echo(asks(status, ""), "t-one")))
		h.listJobs("")
	}
}

func TestNoSecretThatTheServiceEchoesIsInAnError(t *testing.T) {
	for _, status := range []int{302, 401, 404, 500} {
		h := newHost(t)
		h.listJobs("", grants("t-one", 3600), h.echo(jobs("t-one", status), "t-one"))
		h.getToken(`{"force":true}`)
		h.listJobs("", h.echo(jobs("t-one", 403), "t-one")) // the prepared request
		h.now += 10
		h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), h.echo(jobs("t-two", status), "t-one", "t-two"))
		h.listJobs(`{"user_id":"u1"}`, h.echo(jobsAs("c0", "u1", "t-two", 500), "t-two"))
	}
}

func TestNoSecretIsInTheErrorOfAnOldToken(t *testing.T) {
	h := newHost(t)
	h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
	h.now = noon + 3540
	h.listJobs("", oauth(h.echo(asks(500, ""), "t-one")), h.echo(jobs("t-one", 500), "t-one"))
	h.listJobs("", h.echo(jobs("t-one", 401), "t-one"))
}

func TestATokenInAnAnswerThatIsRefusedIsInNoError(t *testing.T) {
	h := newHost(t)
	turn := asks(200, `{"access_token":"t-two","token_type":"mac","error":"t-two"}`)
	turn.token = "t-two"
	h.getToken("", turn).wantError("token_response_invalid", 1)
	h.getToken("").wantError("token_response_invalid", 1)
}
