package call_test

import (
	"testing"

	"automatic-rostering/plugin/internal/apierror"
)

const missing, invalid = apierror.ConfigMissing, apierror.ConfigInvalid

func TestAllConfigIsJudgedBeforeTheFirstRequest(t *testing.T) {
	for _, tt := range []struct {
		key, value, code string
		jobsAlone        bool // get_token does not need it
	}{
		{"environment", "", missing, false},
		{"environment", "test", invalid, false},
		{"scope", "a\tb", invalid, false},
		{"auth_url", "", missing, false},
		{"auth_url", "http://auth.example", invalid, false},
		{"client_id", "", missing, false},
		{"client_id", "client\n", invalid, false},
		{"client_secret", "", missing, false},
		{"client_secret", secret + "\n", invalid, false},
		{"refresh_margin", "1m", invalid, false},
		{"allow_http", "yes", invalid, false},
		{"base_url", "", missing, true},
		{"base_url", "http://api.example", invalid, true},
		{"customer_id", "", missing, true},
		{"customer_id", "c\n", invalid, true},
		{"user_id", "", missing, true},
		{"user_id", " u", invalid, true},
	} {
		t.Run(tt.key+" "+tt.code, func(t *testing.T) {
			h := newHost(t)
			h.config[tt.key] = tt.value
			if got := h.listJobs("").wantError(tt.code, 0); got["key"] != tt.key || got["retryable"] != false {
				t.Errorf("list_jobs: got %v", got)
			}
			if tt.jobsAlone {
				h.getToken("", grants("t-one", 3600)).wantToken("t-one", noon+3600)
				h.listJobs("").wantError(tt.code, 0) // also with a token
				return
			}
			if got := h.getToken("").wantError(tt.code, 0); got["key"] != tt.key {
				t.Errorf("get_token: got %v", got)
			}
			if len(h.vars) != 0 {
				t.Errorf("vars: %q", h.vars)
			}
		})
	}
}

func TestIDsOfTheInputNeedNoConfig(t *testing.T) {
	h := newHost(t)
	delete(h.config, "customer_id")
	delete(h.config, "user_id")
	h.listJobs(`{"customer_id":"c1","user_id":null}`, grants("t-one", 3600), jobsAs("c1", "", "t-one", 200)).wantAnswer()
	h.listJobs(`{"customer_id":null}`).wantError(missing, 0)
}

func TestTheInputIsJudgedFirst(t *testing.T) {
	h := newHost(t)
	h.config, h.now = nil, 0
	for _, input := range []string{`[]`, `{"x":1}`, `{"now":"1"}`, `{"now":1,"now":1}`, `{} {}`} {
		h.getToken(input).wantError(apierror.InvalidInput, 0)
		h.listJobs(input).wantError(apierror.InvalidInput, 0)
	}
	if got := h.getToken(`{"customer_id":"c1"}`).wantError(apierror.InvalidInput, 0); got["key"] != "customer_id" {
		t.Errorf("get_token: got %v", got)
	}
	if got := h.listJobs(`{"force":true}`).wantError(apierror.InvalidInput, 0); got["key"] != "force" {
		t.Errorf("list_jobs: got %v", got)
	}
	if len(h.vars)+len(h.log) != 0 {
		t.Errorf("vars %q, log %q", h.vars, h.log)
	}
}

func TestProductionAsksForItsOwnScope(t *testing.T) {
	h := newHost(t)
	h.config["environment"] = "production"
	want := grants("t-one", 3600)
	want.request = want.request[:len(want.request)-len("stage")] + "prod"
	h.getToken("", want).wantToken("t-one", noon+3600)
}
