package flow_test

import (
	"strings"
	"testing"
)

// A secret that is changed during a token request: its rejection is neither the next one's nor that of
// the next one's lock, and what the response repeats of it is not shown.
func TestSecretIsChangedDuringRequest(t *testing.T) {
	change := [2]string{"config client_secret another-secret", ""}
	i := newInstance(t).play(after(looking, [2]string{"added", "request"}, change, [2]string{"status 401", "set lock done 1"}))
	before := i.key
	i.play(script{{"ok", "get token"}, {"null", "add lock requesting 10"}, {"added", "request"}})
	i.play(script{{"status 503", "set lock failed token_endpoint_unavailable wait 1 failures 1 3"}})
	if i.key == before {
		t.Error("the failure is written to the lock of the secret before")
	}
	i = newInstance(t).play(after(locked, change, [2]string{"token A 60", "set token A 60 | A +30"}, [2]string{"ok", "set lock done 1 | A +30"}))
	if i.key != before {
		t.Error("the lock of the secret before stays")
	}
	for result, want := range map[string]string{
		"status 401": "request",
		"status 429": "token_endpoint_unavailable 429 retry 1",
		"failed":     "network_error retry 1",
	} {
		i := newInstance(t).play(after(cold, change))
		i.repeat = "s3cret-of-client"
		if i.play(script{{result, want}}); strings.Contains(i.text, "s3cret") {
			t.Errorf("%s: %s", result, i.text)
		}
	}
}
