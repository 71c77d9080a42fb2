package flow_test

import (
	"strings"
	"testing"
)

// cold obtains a token, warm has one that this instance requested.
var warm = script{{"begin", "request"}, {"token A 3600", "done | A +3540"}}

func play(t *testing.T, tests map[string]script) {
	t.Helper()
	for name, s := range tests {
		t.Run(name, func(t *testing.T) { newInstance(t).play(s) })
	}
}

func after(before script, more ...[2]string) script {
	return append(before[:len(before):len(before)], more...)
}

func TestToken(t *testing.T) {
	play(t, map[string]script{
		"requested":              after(warm, [2]string{"begin", "done | A +3540"}),
		"a lifetime of a second": {{"begin", "request"}, {"token A 1", "done | A +1"}, {"+1", ""}, {"begin", "request"}},
		"the margin of a short":  {{"begin", "request"}, {"token A 100", "done | A +50"}},
		"it lives from its request on, and at least a second": {{"begin", "request"}, {"+20", ""}, {"token A 10", "done | A +1"}},
		"its expiry":                            after(warm, [2]string{"+3600", ""}, [2]string{"begin", "request"}),
		"set":                                   {{"set A 3600", ""}, {"begin", "done | A +3540"}},
		"set, of more than a day":               {{"set A 99999", ""}, {"begin", "done | A +86340"}},
		"set, but expired":                      {{"set A 0", "token_mismatch"}},
		"clear":                                 after(warm, [2]string{"clear", ""}, [2]string{"begin", "request"}),
		"a clock that was set back by a minute": after(warm, [2]string{"-60", ""}, [2]string{"begin", "done | A +3600"}),
		"and by more":                           after(warm, [2]string{"-61", ""}, [2]string{"begin", "request"}),
	})
}

func TestRenewal(t *testing.T) {
	due := after(warm, [2]string{"+3540", ""}, [2]string{"begin", "request | A +30"})
	play(t, map[string]script{
		"the old one is used until 5 seconds later": after(due, [2]string{"+2", ""}, [2]string{"token B 3600", "done | A +5"},
			[2]string{"+4", ""}, [2]string{"begin", "done | A +1"}, [2]string{"+1", ""}, [2]string{"begin", "done | B +3533"}),
		"unless it expires": after(due, [2]string{"+57", ""}, [2]string{"token B 3600", "done | A +3"}, [2]string{"+3", ""}, [2]string{"begin", "done | B +3480"}),
		"late in its life":  after(warm, [2]string{"+3590", ""}, [2]string{"begin", "request | A +10"}),
		"it fails: the old one is used until the end of the backoff": after(due, [2]string{"status 503", "done | A +1"}, [2]string{"begin", "done | A +1"},
			[2]string{"+1", ""}, [2]string{"begin", "request | A +30"}, [2]string{"status 503 30", "done | A +30"}),
		"a backoff ends two seconds before the token in use": after(warm, [2]string{"+3593", ""}, [2]string{"begin", "request | A +7"}, [2]string{"failed", "done | A +1"},
			[2]string{"+1", ""}, [2]string{"begin", "request | A +6"}, [2]string{"failed", "done | A +2"},
			[2]string{"+2", ""}, [2]string{"begin", "request | A +4"}, [2]string{"failed", "done | A +2"}, [2]string{"+2", ""}, [2]string{"begin", "request | A +2"},
			[2]string{"failed", "done | A +2"}, [2]string{"+2", ""}, [2]string{"begin", "request"}),
		"but not a Retry-After": after(warm, [2]string{"+3597", ""}, [2]string{"begin", "request | A +3"}, [2]string{"status 429 60", "done | A +3"},
			[2]string{"+3", ""}, [2]string{"begin", "token_endpoint_unavailable 429 retry 57"}),
		"one that expires sooner replaces it, too": after(due, [2]string{"token B 10", "done | A +5"}, [2]string{"+5", ""}, [2]string{"begin", "request | B +5"}),
		"it is refused: the old one is used again, for the age of the new one": after(due, [2]string{"token B 3600", "done | A +5"}, [2]string{"+6", ""}, [2]string{"begin refused=B", "done | A +6"},
			[2]string{"+6", ""}, [2]string{"begin", "done | B +3528"}, [2]string{"begin refused=B used", "done | A +12"}),
		"both are refused, within a backoff, too": after(due, [2]string{"token B 3600", "done | A +5"}, [2]string{"begin force", "request | A +5"}, [2]string{"status 503 9", "token_endpoint_unavailable 503 retry 9"},
			[2]string{"begin refused=B", "done | A +5"}, [2]string{"begin refused=A", "token_endpoint_unavailable 503 retry 9"}, [2]string{"+9", ""}, [2]string{"begin", "request"}),
		"the old one is about to expire: that says nothing about the new one": after(due, [2]string{"token B 3600", "done | A +5"}, [2]string{"+55", ""}, [2]string{"begin refused=B", "done | A +5"},
			[2]string{"begin refused=A", "done | B +3485"}),
		"the same one begins a new lifetime": after(due, [2]string{"token A 3600", "done | A +3540"}),
		"the same one with a shorter life":   after(due, [2]string{"token A 40", "done | A +20"}),
		"an invalid config is a failed renewal": after(warm, [2]string{"+3540", ""}, [2]string{"config auth_url ftp://x", ""}, [2]string{"begin", "done | A +1"},
			[2]string{"+60", ""}, [2]string{"begin", "config_invalid"}),
		"set forgets the token before":                          after(due, [2]string{"set B 3600", ""}, [2]string{"begin", "done | B +3540"}),
		"set of the same changes its expiry":                    after(due, [2]string{"token B 3600", "done | A +5"}, [2]string{"set B 7200", ""}, [2]string{"begin", "done | B +7140"}),
		"set of the same with a shorter life halves its margin": after(warm, [2]string{"set A 41", ""}, [2]string{"begin", "done | A +21"}),
		"set of the same after the clock was set back":          after(warm, [2]string{"-100", ""}, [2]string{"set A 600", ""}, [2]string{"begin", "done | A +540"}),
		"set during a flow is the one before":                   after(warm, [2]string{"+3600", ""}, [2]string{"begin", "request"}, [2]string{"set B 4000", ""}, [2]string{"token C 3600", "done | B +5"}),
		"another flow has renewed it": after(due, [2]string{"2: begin", "request | A +30"}, [2]string{"2: token B 3600", "done | A +5"}, [2]string{"+9", ""},
			[2]string{"status 503", "done | B +3531"}),
	})
}

func TestForce(t *testing.T) {
	force := after(warm, [2]string{"begin force", "request | A +3540"})
	play(t, map[string]script{
		"replaces the token immediately": after(force, [2]string{"token B 60", "done | B +30"}, [2]string{"begin", "done | B +30"}),
		"a failure is its own, and the token stays": after(force, [2]string{"status 400", "token_endpoint_rejected 400 retry 1"},
			[2]string{"begin", "done | A +3540"}, [2]string{"begin force", "token_endpoint_rejected 400 retry 1"}),
		"its failure within the backoff of another flow": {{"begin wait force", "request"}, {"2: begin", "request"}, {"2: status 503 5", "token_endpoint_unavailable 503 retry 5"},
			{"+1", ""}, {"status 400", "token_endpoint_rejected 400 retry 4"}},
	})
}

func TestBackoff(t *testing.T) {
	first := script{{"begin", "request"}, {"status 503", "token_endpoint_unavailable 503 retry 1"}}
	play(t, map[string]script{
		"doubles":           after(first, [2]string{"begin", "token_endpoint_unavailable 503 retry 1"}, [2]string{"+1", ""}, [2]string{"begin", "request"}, [2]string{"failed", "network_error retry 2"}),
		"ends with a token": after(first, [2]string{"+1", ""}, [2]string{"begin", "request"}, [2]string{"token A 1", "done | A +1"}, [2]string{"+1", ""}, [2]string{"begin", "request"}, [2]string{"failed", "network_error retry 1"}),
		"a clock set back":  after(first, [2]string{"-3000", ""}, [2]string{"begin", "token_endpoint_unavailable 503 retry 1"}, [2]string{"+1", ""}, [2]string{"begin", "request"}),
		"ends with clear":   after(first, [2]string{"clear", ""}, [2]string{"begin", "request"}),
		"of a rejected secret ends with it": {{"begin", "request"}, {"status 401 60", "token_endpoint_rejected 401 retry 60"}, {"config client_secret another-secret", ""}, {"begin", "request"},
			{"status 401", "token_endpoint_rejected 401 retry 1"}},
		"not if a Retry-After came since": {{"begin", "request"}, {"2: begin", "request"}, {"status 401", "token_endpoint_rejected 401 retry 1"}, {"2: status 429 1", "token_endpoint_unavailable 429 retry 1"},
			{"config client_secret another-secret", ""}, {"begin", "token_endpoint_rejected 401 retry 1"}},
		"of another failure does not": after(first, [2]string{"config client_secret another-secret", ""}, [2]string{"begin", "token_endpoint_unavailable 503 retry 1"}),
		"is waited out":               {{"begin wait", "request"}, {"status 503 2", "wait 0.250"}, {"+1", ""}, {"ok", "wait 0.250"}, {"+1", ""}, {"ok", "request"}, {"token A 60", "done | A +30"}},
		"is waited out by a forced flow, while others use the token": after(warm, [2]string{"begin wait force", "request | A +3540"}, [2]string{"status 503 2", "wait 0.250 | A +3540"},
			[2]string{"2: begin wait", "done | A +3540"}, [2]string{"+2", ""}, [2]string{"ok", "request | A +3538"}),
		"is not waited out if the secret was rejected": {{"begin wait", "request"}, {"status 401", "token_endpoint_rejected 401 retry 1"}, {"begin wait", "token_endpoint_rejected 401 retry 1"}},
		"is not waited out if it is longer":            {{"begin wait", "request"}, {"status 503 6", "token_endpoint_unavailable 503 retry 6"}},
		"nor while there is a token for others":        after(warm, [2]string{"begin force", "request | A +3540"}, [2]string{"status 503 2", "token_endpoint_unavailable 503 retry 2"}, [2]string{"begin wait refused=A", "token_endpoint_unavailable 503 retry 2"}),
		"does not end by set":                          after(first, [2]string{"set A 60", ""}, [2]string{"begin force", "token_endpoint_unavailable 503 retry 1"}),
		"a Retry-After is not shortened by another failure": {{"begin", "request"}, {"2: begin", "request"}, {"3: begin", "request"},
			{"status 503 60", "token_endpoint_unavailable 503 retry 60"}, {"+1", ""}, {"2: status 503", "token_endpoint_unavailable 503 retry 59"},
			{"3: status 429 90", "token_endpoint_unavailable 429 retry 90"}, {"begin", "token_endpoint_unavailable 503 retry 90"}},
	})
}

func TestFlowsAreIndependent(t *testing.T) {
	play(t, map[string]script{
		"one that is dropped":   {{"1: begin", "request"}, {"2: begin", "request"}, {"2: token A 60", "done | A +30"}},
		"one that comes late":   {{"1: begin", "request"}, {"2: begin", "request"}, {"2: token A 60", "done | A +30"}, {"1: token B 60", "done | A +5"}},
		"one of another client": {{"begin", "request"}, {"config client_id other", ""}, {"token A 60", "invalid_input"}, {"begin", "request"}},
		"one without a config":  {{"begin", "request"}, {"config auth_url ftp://x", ""}, {"token A 60", "config_invalid"}},
		"one from before clear": {{"begin", "request"}, {"clear", ""}, {"token A 60", "request"}, {"token B 60", "done | B +30"}},
		"one with force":        {{"begin force", "request"}, {"clear", ""}, {"set A 60", ""}, {"status 400", "request | A +30"}, {"token B 60", "done | B +30"}},
		"one with the lock": {{"begin store", "get token"}, {"null", "add lock requesting 10"}, {"clear", ""}, {"added", "request"}, {"clear", ""},
			{"token A 60", "request"}, {"token B 60", "set token B 60 | B +30"}, {"ok", "set lock done 1 | B +30"}, {"clear", ""}, {"ok", "get token"}},
	})
}

// A flow logs its requests, and once a minute that renewals fail.
func TestLog(t *testing.T) {
	i := newInstance(t)
	i.play(after(warm, [2]string{"+3540", ""}, [2]string{"begin store", "get token | A +30"}, [2]string{"null", "add lock requesting 10 | A +30"},
		[2]string{"added", "request | A +30"}, [2]string{"2: begin", "request | A +30"}, [2]string{"2: status 503", "done | A +1"},
		[2]string{"status 503", "set lock failed token_endpoint_unavailable wait 1 failures 1 2 | A +30"}, [2]string{"ok", "done | A +1"}))
	const failed = "HTTP 503 to POST auth.example/connect/token"
	const warning = "the token could not be renewed; the old one, still valid, is used"
	if got := strings.Join(i.logs[1:], "; "); got != failed+"; "+warning+"; "+failed {
		t.Errorf("got %s", got)
	}
	i = newInstance(t)
	i.play(script{{"config refresh_margin 1800", ""}, {"begin", "request"}, {"token A 3600", "done | A +1800"}, {"+1800", ""},
		{"begin", "request | A +30"}, {"status 503 59", "done | A +59"}, {"+59", ""}, {"begin", "request | A +30"}, {"status 503", "done | A +2"}, {"+2", ""},
		{"begin", "request | A +30"}, {"status 503", "done | A +4"}})
	if got := strings.Join(i.logs[1:], "; "); got != strings.Join([]string{failed, warning, failed, failed, warning}, "; ") {
		t.Errorf("got %s", got)
	}
}
