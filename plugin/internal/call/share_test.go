package call_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/call"
)

// tokenObject is what get_token gives on another instance.
func (h *host) tokenObject(token string, lifetime int) string {
	h.t.Helper()
	other := newHost(h.t)
	other.now, other.config = h.now, h.config
	h.tokens = append(h.tokens, token)
	return string(other.getToken("", grants(token, lifetime)).object())
}

func (h *host) setToken(object string) { h.t.Helper(); h.share(call.SetToken, object, "", "") }

// share calls set_token or clear_token, and wants an error with a code about a key, or none.
func (h *host) share(export func(call.Host, []byte) call.Step, in, code, key string) {
	h.t.Helper()
	step := export(h, []byte(in))
	var e struct {
		Code, Key string
		Retryable bool
	}
	if step.Kind == call.Fail {
		h.checkHidden("an error", string(step.Output))
		if err := json.Unmarshal(step.Output, &e); err != nil {
			h.t.Fatal(err)
		}
	} else if step.Kind != call.Give || len(step.Output) > 0 {
		h.t.Fatalf("got %v %s", step.Kind, step.Output)
	}
	if e.Code != code || e.Key != key || e.Retryable {
		h.t.Fatalf("got %s, want %q about %q", step.Output, code, key)
	}
}

func TestATokenTravels(t *testing.T) {
	h := newHost(t)
	h.setToken(h.tokenObject("t-one", 3600))
	h.getToken("").wantToken("t-one", noon+3600)
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	h.now += 3540
	h.listJobs("", grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
}

func TestASetTokensLifeCountsFromNow(t *testing.T) {
	h := newHost(t)
	object := h.tokenObject("t-one", 3600)
	h.now += 3500 // 100 seconds are left, of which the margin is half
	h.setToken(object)
	h.now += 49
	h.getToken("").wantToken("t-one", noon+3600)
	h.now++
	h.getToken("", grants("t-two", 3600)).wantToken("t-two", h.now+3600)
}

func TestASetTokenLivesADayAtMost(t *testing.T) {
	h := newHost(t)
	h.setToken(fmt.Sprintf(`{"access_token":"t-one","expires_at":%d,"cache_key":%q}`, noon+100*86400, h.key()))
	h.getToken("").wantToken("t-one", noon+86400)
}

func (h *host) key() string {
	var object struct {
		CacheKey string `json:"cache_key"`
	}
	if err := json.Unmarshal([]byte(h.tokenObject("unused", 60)), &object); err != nil {
		h.t.Fatal(err)
	}
	return object.CacheKey
}

func TestASetTokenIsHealed(t *testing.T) {
	h := newHost(t)
	h.setToken(h.tokenObject("t-one", 3600))
	h.listJobs("", jobs("t-one", 401), grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
	h.setToken(h.tokenObject("t-three", 3600))
	h.listJobs("", jobs("t-three", 200)).wantAnswer()
}

func TestTheSameTokenChangesNothing(t *testing.T) {
	h := newHost(t)
	object := h.tokenObject("t-one", 3600)
	h.setToken(object)
	h.listJobs("", jobs("t-one", 200))
	h.writes = 0
	h.now += 5
	h.setToken(object)
	h.now = 0
	h.setToken(object)
	if h.writes > 0 {
		t.Errorf("%d vars were set", h.writes)
	}
	h.now = noon
	h.getToken("").wantToken("t-one", noon+3600)
}

func TestATokenIsSetWithoutAClock(t *testing.T) {
	h := newHost(t)
	object := h.tokenObject("t-one", 3600)
	h.now = 0
	h.setToken(object)
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	h.now = noon + 9999 // whether it has expired the service tells
	h.listJobs("", jobs("t-one", 200)).wantAnswer()
	h.getToken("", grants("t-two", 3600)).wantToken("t-two", h.now+3600)
}

func TestATokenSetWithoutAClockIsSetAgainWithOne(t *testing.T) {
	h := newHost(t)
	object := h.tokenObject("t-one", 3600)
	h.now = 0
	h.setToken(object)
	h.now = noon
	h.setToken(object)
	h.getToken("").wantToken("t-one", noon+3600)
}

func TestAnothersTokenIsRefused(t *testing.T) {
	h := newHost(t)
	object := h.tokenObject("t-one", 3600)
	h.getToken("", grants("t-mine", 3600))
	for key, value := range map[string]string{
		"environment": "production", "scope": "other", "client_id": "other", "auth_url": "https://auth.example/other",
	} {
		kept := h.config[key]
		h.config[key] = value
		h.share(call.SetToken, object, apierror.TokenMismatch, "")
		h.config[key] = kept
	}
	for _, at := range []int64{noon + 3600, noon + 9999} {
		h.now = at
		h.share(call.SetToken, object, apierror.TokenMismatch, "")
	}
	h.now = noon
	h.getToken("").wantToken("t-mine", noon+3600) // nothing is lost
	h.share(call.SetToken, `{"access_token":"t"}`, apierror.InvalidInput, "expires_at")
	h.config["client_id"] = ""
	h.share(call.SetToken, object, apierror.ConfigMissing, "client_id")
}

func TestARotatedSecretIsNotSeen(t *testing.T) {
	h := newHost(t)
	object := h.tokenObject("t-one", 3600)
	h.config["client_secret"] = "another"
	h.setToken(object)
	h.getToken("").wantToken("t-one", noon+3600)
}

func TestClearTokenForgets(t *testing.T) {
	h := newHost(t)
	h.share(call.ClearToken, "", "", "") // with nothing to forget
	h.listJobs(`{"user_id":"u1"}`, grants("t-one", 3600), jobsAs("c0", "u1", "t-one", 200))
	h.share(call.ClearToken, "{}", "", "")
	if len(h.vars) != 1 { // the generation goes on
		t.Errorf("it left %d vars", len(h.vars))
	}
	h.config["client_id"] = "client" // a host may change config here
	h.listJobs("", asks(500, "")).wantError(unavailable, 1)
	h.share(call.ClearToken, " ", "", "")
	h.listJobs("", grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
	h.share(call.ClearToken, `{"now":1}`, apierror.InvalidInput, "now")
	h.listJobs("", jobs("t-two", 200)).wantAnswer()
}
