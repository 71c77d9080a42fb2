package flow_test

import "testing"

var (
	looking = script{{"begin store", "get token"}, {"null", "add lock requesting 10"}}
	locked  = after(looking, [2]string{"added", "request"})
	busy    = after(looking, [2]string{"held", "get lock"}, [2]string{"lock requesting", "wait 0.050"}, [2]string{"ok", "get lock"})
)

func TestStore(t *testing.T) {
	due := after(warm, [2]string{"+3540", ""}, [2]string{"begin store", "get token | A +30"})
	play(t, map[string]script{
		"has the token":            {{"begin store", "get token"}, {"stored A 3600", "done | A +3540"}, {"begin", "done | A +3540"}},
		"one of more than a day":   {{"begin store", "get token"}, {"stored A 99999", "done | A +86340"}},
		"has an expired one":       after(due, [2]string{"stored B 0 -1", "add lock requesting 10 | A +30"}),
		"has something else":       {{"begin store", "get token"}, {`value {"state":"x"}`, "add lock requesting 10"}},
		"has another client's":     {{"begin store", "get token"}, {`value {"access_token":"A","expires_at":1900000000,"cache_key":"k"}`, "add lock requesting 10"}},
		"gets the requested token": after(locked, [2]string{"+1", ""}, [2]string{"token A 3600", "set token A 3599 | A +3539"}, [2]string{"ok", "set lock done 1 | A +3539"}, [2]string{"ok", "done | A +3539"}),
		"and the failure":          after(locked, [2]string{"status 429 7", "set lock failed token_endpoint_unavailable wait 7 failures 1 7"}, [2]string{"+1", ""}, [2]string{"ok", "get token"}, [2]string{"null", "token_endpoint_unavailable 429 retry 6"}),
		"and the failure of another flow, not its own": after(locked, [2]string{"2: begin", "request"}, [2]string{"2: status 503 9", "token_endpoint_unavailable 503 retry 9"},
			[2]string{"status 400", "set lock failed token_endpoint_unavailable wait 9 failures 1 9"}, [2]string{"ok", "get token"}, [2]string{"null", "token_endpoint_rejected 400 retry 9"}),
		"fails to lock": after(looking, [2]string{"failed", "request"}, [2]string{"status 503", "token_endpoint_unavailable 503 retry 1"}),
		"has a renewed token, which waits 5 seconds":      after(due, [2]string{"stored B 3600", "done | A +5"}, [2]string{"+5", ""}, [2]string{"begin store", "done | B +3535"}),
		"has the token that is due for renewal":           after(due, [2]string{"stored A 60 -3540", "add lock requesting 10 | A +30"}),
		"a renewal fails to lock":                         after(due, [2]string{"null", "add lock requesting 10 | A +30"}, [2]string{"failed", "request | A +30"}),
		"another one renews it":                           after(due, [2]string{"null", "add lock requesting 10 | A +30"}, [2]string{"held", "get lock | A +30"}, [2]string{"lock requesting", "done | A +1"}),
		"another one failed to renew it":                  after(due, [2]string{"null", "add lock requesting 10 | A +30"}, [2]string{"held", "get lock | A +30"}, [2]string{"failure token_endpoint_unavailable 503 8 3", "done | A +8"}),
		"one that was requested earlier":                  after(due, [2]string{"stored B 9000 -3541", "add lock requesting 10 | A +30"}),
		"one that was requested later and expires sooner": after(due, [2]string{"stored B 20 -1", "done | A +5"}),
		"one that is said to be requested in the future":  after(due, [2]string{"stored B 3600 99", "done | A +5"}, [2]string{"+5", ""}, [2]string{"begin", "done | B +3535"}),
		"a text that is no Unicode":                       {{"begin store", "get token"}, {`value {"access_token":"A","expires_at":1900000000,"cache_key":"` + key + `","x":"\ud800"}`, "add lock requesting 10"}},
		"has a token although the request failed":         after(locked, [2]string{"status 503 9", "set lock failed token_endpoint_unavailable wait 9 failures 1 9"}, [2]string{"ok", "get token"}, [2]string{"stored B 60", "done | B +30"}),
		"another flow got a token before the lock": after(looking, [2]string{"2: begin", "request"}, [2]string{"2: token A 60", "done | A +30"},
			[2]string{"added", "set lock done 1 | A +30"}, [2]string{"ok", "done | A +30"}),
		"another flow failed before the lock": after(looking, [2]string{"2: begin", "request"}, [2]string{"2: status 400", "token_endpoint_rejected 400 retry 1"},
			[2]string{"added", "set lock failed token_endpoint_rejected wait 1 failures 1 2"}, [2]string{"ok", "token_endpoint_rejected 400 retry 1"}),
		"the token that was requested last is written": {{"begin store", "get token"}, {"null", "add lock requesting 10"}, {"added", "request"}, {"set A 3600", ""},
			{"token B 60", "set token B 60 | A +5"}, {"ok", "set lock done 1 | A +5"}, {"ok", "done | A +5"}},
		"is read once a second in a backoff": after(locked, [2]string{"status 503 9", "set lock failed token_endpoint_unavailable wait 9 failures 1 9"}, [2]string{"ok", "get token"}, [2]string{"null", "token_endpoint_unavailable 503 retry 9"},
			[2]string{"begin store", "token_endpoint_unavailable 503 retry 9"}, [2]string{"+1", ""}, [2]string{"begin store", "get token"}, [2]string{"2: begin store", "token_endpoint_unavailable 503 retry 8"}, [2]string{"stored A 60", "done | A +30"}, [2]string{"begin force", "request | A +30"}),
	})
}

func TestLock(t *testing.T) {
	play(t, map[string]script{
		"a value that cannot be read":     after(busy, [2]string{"lock new", "wait 0.100"}),
		"gone":                            after(busy, [2]string{"null", "get token"}, [2]string{"null", "add lock requesting 10"}, [2]string{"held", "get lock"}, [2]string{"null", "wait 0.100"}, [2]string{"ok", "get lock"}, [2]string{"null", "get token"}),
		"done":                            after(busy, [2]string{"lock done", "get token"}, [2]string{"stored A 60", "done | A +30"}),
		"the instance has a token by now": after(looking, [2]string{"held", "get lock"}, [2]string{"lock requesting", "wait 0.050"}, [2]string{"set A 60", ""}, [2]string{"ok", "done | A +30"}),
		"failed":                          after(busy, [2]string{"failure token_endpoint_unavailable 503 8 3", "get token"}, [2]string{"null", "token_endpoint_unavailable 503 retry 8"}, [2]string{"+8", ""}, [2]string{"begin", "request"}, [2]string{"failed", "network_error retry 8"}),
		"refused tokens are nobody else's business": after(busy, [2]string{"failure service_unauthorized 401 4 4", "wait 0.100"}),
		"failed, until sooner than its wait":        after(busy, [2]string{`value {"state":"failed","code":"network_error","status":0,"until":1800000002,"wait":60,"failures":1}`, "get token"}, [2]string{"null", "network_error retry 2"}),
		"failed less often than this one": {{"begin", "request"}, {"failed", "network_error retry 1"}, {"+1", ""}, {"begin", "request"}, {"failed", "network_error retry 2"}, {"+2", ""},
			{"begin store", "get token"}, {"null", "add lock requesting 10"}, {"held", "get lock"}, {"failure token_endpoint_unavailable 503 1 1", "get token"}, {"null", "token_endpoint_unavailable 503 retry 1"},
			{"+1", ""}, {"begin", "request"}, {"failed", "network_error retry 4"}},
		"a rejected secret": after(busy, [2]string{"failure token_endpoint_rejected 401 4 3", "get token"}, [2]string{"null", "token_endpoint_rejected 401 retry 4"},
			[2]string{"config client_secret another-secret", ""}, [2]string{"begin", "request"}),
		"a short backoff is waited out":              {{"begin store wait", "get token"}, {"null", "add lock requesting 10"}, {"held", "get lock"}, {"failure network_error 0 2 3", "get token"}, {"null", "wait 0.250"}, {"+2", ""}, {"ok", "get token"}, {"stored A 60", "done | A +30"}},
		"not after long waits for the lock":          {{"begin store wait", "get token"}, {"null", "add lock requesting 10"}, {"held", "get lock"}, {"lock x", "wait 0.050"}, {"ok", "get lock"}, {"lock x", "wait 0.100"}, {"ok", "get lock"}, {"lock x", "wait 0.200"}, {"ok", "get lock"}, {"lock x", "wait 0.400"}, {"ok", "get lock"}, {"failure network_error 0 5 3", "get token"}, {"null", "network_error retry 5"}},
		"a wait is shorter than the token in use":    {{"set A 20", ""}, {"+10", ""}, {"begin store", "get token | A +10"}, {"null", "add lock requesting 10 | A +10"}, {"held", "get lock | A +10"}, {"failure network_error 0 30 6", "done | A +8"}},
		"but not if it may be a Retry-After":         {{"set A 20", ""}, {"+10", ""}, {"begin store", "get token | A +10"}, {"null", "add lock requesting 10 | A +10"}, {"held", "get lock | A +10"}, {"failure network_error 0 31 6", "done | A +10"}},
		"a token that was set by then ends the flow": after(looking, [2]string{"held", "get lock"}, [2]string{"set A 600", ""}, [2]string{"lock requesting", "done | A +540"}),
		"force does not wait":                        after(script{{"begin store force", "add lock requesting 10"}}, [2]string{"held", "request"}),
	})
	t.Run("after 20 seconds of waits", func(t *testing.T) {
		i := newInstance(t).play(after(looking, [2]string{"held", "get lock"}))
		for n := 0; ; n++ {
			if got := i.do("lock requesting"); got == "request" {
				if n != 24 { // 0.05 to 0.8 are 1.55 seconds
					t.Errorf("after %d waits", n)
				}
				return
			}
			i.play(script{{"ok", "get lock"}})
			if n > 100 {
				t.Fatal("it waits forever")
			}
		}
	})
	t.Run("a Retry-After is not shortened by the store", func(t *testing.T) {
		newInstance(t).play(after(busy, [2]string{"2: begin", "request"}, [2]string{"2: status 429 60", "token_endpoint_unavailable 429 retry 60"},
			[2]string{"failure network_error 0 8 1", "get token"}, [2]string{"null", "network_error retry 60"}))
	})
}

// Some providers issue the same token until it expires.
func TestSameTokenOfAnotherInstance(t *testing.T) {
	refused := script{{"set A 600", ""}, {"+20", ""}, {"begin store refused=A", "get token"}}
	play(t, map[string]script{
		"requested later":   after(refused, [2]string{"stored A 600 -1", "done | A +540"}, [2]string{"begin", "done | A +540"}),
		"requested earlier": after(refused, [2]string{"stored A 600 -20", "add lock requesting 10"}),
	})
}
