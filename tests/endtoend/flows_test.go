package endtoend

import (
	"encoding/json"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"
)

func TestJobsInEachEnvironment(t *testing.T) {
	for _, environment := range []string{sandbox.Stage, sandbox.Production} {
		t.Run(environment, func(t *testing.T) {
			u := newUser(t, "call", environment, nil)
			u.mustList(0)
			u.mustList(0)
			u.mustCount(1, 2)
		})
	}
}

func TestTokenIsThatOfTheProvider(t *testing.T) {
	u := newUser(t, "call", sandbox.Stage, nil)
	before := time.Now().Unix()
	a := u.callAt(0, "get_token")
	var token struct {
		AccessToken string `json:"access_token"`
		ExpiresAt   int64  `json:"expires_at"`
	}
	if err := json.Unmarshal(a.Output, &token); err != nil {
		t.Fatalf("%v: %s%s", err, a.Error, a.Trap)
	}
	// The provider counts whole seconds of what is left, so an hour may read as 3,599.
	if token.AccessToken == "" || token.ExpiresAt < before+3599 || token.ExpiresAt > time.Now().Unix()+3600 {
		t.Errorf("it expires at %d, and now it is %d", token.ExpiresAt, before)
	}
}

func TestRenewal(t *testing.T) {
	u := newUser(t, "call", sandbox.Stage, nil)
	u.mustList(0)
	u.mustList(3500)
	u.mustCount(1, 2)
	u.mustList(3545) // inside the margin
	u.mustCount(2, 3)
}

func TestRevokedTokenIsHealed(t *testing.T) {
	u := newUser(t, "call", sandbox.Stage, nil)
	u.mustList(0)
	u.Revoke()
	u.mustList(0)
	u.mustCount(2, 3)
}

func TestExpiredTokenIsHealedWithoutAClock(t *testing.T) {
	u := newUser(t, "call", sandbox.Stage, nil)
	if err := u.SetLifetime(time.Second); err != nil {
		t.Fatal(err)
	}
	const longAgo = -1 << 30 // no usable clock
	u.mustList(longAgo)
	if err := u.SetLifetime(time.Hour); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); u.Counts().TokenRequests == 1 && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
		u.mustList(longAgo)
	}
	if got := u.Counts().TokenRequests; got != 2 {
		t.Errorf("%d token requests, not 2", got)
	}
}

func TestRefusedClient(t *testing.T) {
	u := newUser(t, "call", sandbox.Stage, func(c map[string]string) { c["client_secret"] = "a wrong secret" })
	u.mustFail(0, failure{Code: "token_endpoint_rejected", Status: 401, OAuthError: "invalid_client", RetryAfter: 1})
	u.mustCount(1, 0)
}

func TestScopeOfAnotherEnvironment(t *testing.T) {
	u := newUser(t, "call", sandbox.Stage, func(c map[string]string) { c["environment"] = "production" })
	u.mustFail(0, failure{Code: "token_endpoint_rejected", Status: 400, OAuthError: "invalid_scope", RetryAfter: 1})
}

func TestProviderDown(t *testing.T) {
	u := newUser(t, "call", sandbox.Stage, nil)
	if err := u.SetFault(sandbox.AuthServer, sandbox.Fault{Status: 503, Body: "down"}); err != nil {
		t.Fatal(err)
	}
	u.mustFail(0, failure{Code: "token_endpoint_unavailable", Status: 503, RetryAfter: 1})
	u.mustFail(10, failure{Code: "token_endpoint_unavailable", Status: 503, RetryAfter: 2})
	u.mustCount(2, 0)
	u.ClearFaults()
	u.mustList(20)
	u.mustCount(3, 1)
}

func TestProviderCutsOff(t *testing.T) {
	u := newUser(t, "call", sandbox.Stage, nil)
	if err := u.SetFault(sandbox.AuthServer, sandbox.Fault{CutOff: true}); err != nil {
		t.Fatal(err)
	}
	if a := u.callAt(0, "list_jobs"); a.Trap == "" {
		t.Errorf("no trap: %s%s", a.Error, a.Output)
	}
	u.ClearFaults()
	u.mustList(10)
}

func TestServiceDown(t *testing.T) {
	u := newUser(t, "call", sandbox.Stage, nil)
	if err := u.SetFault(sandbox.JobsServer, sandbox.Fault{Status: 500, Requests: 1}); err != nil {
		t.Fatal(err)
	}
	u.mustFail(0, failure{Code: "service_error", Status: 500})
	u.mustList(0)
	u.mustCount(1, 2)
}

// 2,000 failures in a row on one instance of a real host: see tests/plugin for what
// they leave in the plugin's memory.
func TestManyFailuresThenSuccess(t *testing.T) {
	u := newUser(t, "call", sandbox.Stage, nil)
	u.mustList(0)
	if err := u.SetFault(sandbox.JobsServer, sandbox.Fault{CutOff: true}); err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		if a := u.callAt(0, "list_jobs"); a.Trap == "" {
			t.Fatalf("failure %d is no trap: %s%s", i+1, a.Error, a.Output)
		}
	}
	u.ClearFaults()
	u.mustList(0)
}
