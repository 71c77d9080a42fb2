package endtoend

import (
	"testing"
	"time"

	"automatic-rostering.example/sandbox"
	"automatic-rostering/tests/conformance/protocol"
)

// newDriver is a user of the library, which does the HTTP itself.
func newDriver(t *testing.T, change func(config map[string]string)) *user {
	t.Helper()
	return newUser(t, "drive", sandbox.Stage, change)
}

func TestLifeOfATokenInSteps(t *testing.T) {
	u := newDriver(t, nil)
	u.mustList(0)
	u.mustList(3500)
	u.mustCount(1, 2)
	first := u.token(3500)
	u.mustList(3545) // inside the margin: the token is renewed beside the call
	for end := time.Now().Add(10 * time.Second); u.token(3545) == first; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the token is not renewed")
		}
	}
	u.mustCount(2, 3)
	u.Revoke()
	u.mustList(3546)
	u.mustCount(3, 5)
}

func (u *user) token(seconds int64) string {
	u.t.Helper()
	return string(u.callAt(seconds, "get_token").Output)
}

func TestRefusedClientInSteps(t *testing.T) {
	u := newDriver(t, func(c map[string]string) { c["client_secret"] = "a wrong secret" })
	u.mustFail(0, failure{Code: "token_endpoint_rejected", Status: 401, OAuthError: "invalid_client", RetryAfter: 1})
	u.mustFail(0, failure{Code: "token_endpoint_rejected", Status: 401, OAuthError: "invalid_client", RetryAfter: 1})
	u.mustCount(1, 0)
}

func TestATokenThatWasForgottenAndSetAgain(t *testing.T) {
	u := newDriver(t, nil)
	token := u.callAt(0, "get_token").Output
	u.do(protocol.Request{Op: "call", Export: "clear_token"})
	if a := u.do(protocol.Request{Op: "call", Export: "set_token", Input: token}); a.Error != "" || a.Trap != "" {
		t.Fatalf("it is refused: %s%s", a.Error, a.Trap)
	}
	u.mustCount(1, 0)
	u.mustList(1)
	u.mustCount(1, 1)
}
