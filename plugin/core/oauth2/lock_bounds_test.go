package oauth2_test

import (
	"fmt"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/oauth2"
)

func TestParseLockAtTheBoundsOfItsNumbers(t *testing.T) {
	for status, want := range map[int]bool{0: true, 1: false, 99: false, 100: true, 599: true, 600: false} {
		value := strings.Replace(failed, `"status":0`, fmt.Sprintf(`"status":%d`, status), 1)
		if got := oauth2.ParseLock(value); got.Failed != want {
			t.Errorf("status %d: %+v", status, got)
		}
	}
	if got := oauth2.ParseLock(strings.Replace(failed, `,"failures":1`, "", 1)); got.Failed {
		t.Errorf("without failures: %+v", got)
	}
}

// A user must see which failure it was, and that it was not this instance's own.
func TestTheErrorOfALockHasItsOwnMessage(t *testing.T) {
	known := map[string]string{}
	for _, code := range []string{
		apierror.TokenEndpointRejected, apierror.TokenEndpointUnavailable, apierror.TokenResponseInvalid, apierror.NetworkError, apierror.ServiceUnauthorized,
	} {
		lock := oauth2.ParseLock(strings.Replace(failed, "network_error", code, 1))
		message := lock.Error().Message
		if strings.HasPrefix(message, " ") {
			t.Errorf("%s has no message but %q", code, message)
		}
		if other := known[message]; other != "" {
			t.Errorf("%s and %s have the same message %q", code, other, message)
		}
		known[message] = code
	}
	for _, status := range []int{0, 200, 400, 503} {
		_, _, own := oauth2.ParseTokenResponse(response(status, "{}"), secrets)
		if code := known[own.Message]; code != "" {
			t.Errorf("the message of this instance's %s is that of another's: %q", code, own.Message)
		}
	}
}
