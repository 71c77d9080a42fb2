package flow_test

import "testing"

func TestRefusedToken(t *testing.T) {
	old := after(warm, [2]string{"+10", ""})
	play(t, map[string]script{
		"is replaced":                        after(old, [2]string{"begin refused=A", "request"}, [2]string{"token B 60", "done | B +30"}, [2]string{"begin refused=A", "done | B +30"}),
		"is remembered, if its flow is lost": after(old, [2]string{"begin refused=A", "request"}, [2]string{"begin", "request"}),
		"until it is issued again":           after(old, [2]string{"begin refused=A", "request"}, [2]string{"token A 60", "done | A +30"}, [2]string{"begin", "done | A +30"}),
		"until it is set":                    after(old, [2]string{"begin refused=A", "request"}, [2]string{"set A 600", ""}, [2]string{"begin", "done | A +540"}),
		"was replaced long ago":              after(old, [2]string{"begin force", "request | A +3530"}, [2]string{"token B 60", "done | B +30"}, [2]string{"begin refused=A", "done | B +30"}),
		"is the one before: the renewed one is used immediately": after(warm, [2]string{"+3540", ""}, [2]string{"begin", "request | A +30"}, [2]string{"token B 3600", "done | A +5"},
			[2]string{"begin refused=A", "done | B +3540"}, [2]string{"begin", "done | B +3540"}),
		"is refused while it is renewed": after(warm, [2]string{"+3540", ""}, [2]string{"begin", "request | A +30"}, [2]string{"2: begin refused=A", "request"},
			[2]string{"token B 3600", "done | B +3540"}),
		"is refused while it is written": {{"begin store", "get token"}, {"null", "add lock requesting 10"}, {"held", "get lock"}, {"failed", "request"},
			{"clear", ""}, {"token A 60", "get token"}, {"null", "add lock requesting 10"}, {"added", "request"}, {"token A 60", "set token A 60 | A +30"},
			{"2: begin refused=A used", "request"}, {"ok", "set lock done 1"}, {"ok", "token_response_invalid"}},
		"expires while it is written": {{"begin store", "get token"}, {"null", "add lock requesting 10"}, {"added", "request"}, {"token A 1", "set token A 1 | A +1"},
			{"+1", ""}, {"ok", "set lock done 1"}, {"ok", "token_response_invalid"}},
		"is another one's": {{"begin refused=X", "request"}, {"token A 60", "done | A +30"}, {"begin refused=X", "done | A +30"}},
	})
}

// A fresh token that is refused may not be the last: how new tokens are refused counts, as failures do.
func TestRefusedFreshToken(t *testing.T) {
	second := after(warm, [2]string{"begin refused=A", "request"}, [2]string{"token B 3600", "done | B +3540"})
	third := after(second, [2]string{"begin refused=B", "service_unauthorized 401 retry 1"})
	short := after(warm, [2]string{"begin refused=A", "request"}, [2]string{"token B 20", "done | B +10"}, [2]string{"begin refused=B", "service_unauthorized 401 retry 1"})
	play(t, map[string]script{
		"the first is replaced":                 second,
		"the second stays":                      after(third, [2]string{"begin", "done | B +3540"}, [2]string{"begin refused=B", "service_unauthorized 401 retry 1"}),
		"and counts again after the wait":       after(third, [2]string{"+1", ""}, [2]string{"begin refused=B", "service_unauthorized 401 retry 2"}),
		"until it is 10 seconds old":            after(third, [2]string{"+10", ""}, [2]string{"begin refused=B", "request"}, [2]string{"token C 60", "done | C +30"}),
		"unless it was used":                    after(second, [2]string{"begin refused=B used", "request"}, [2]string{"token C 60", "done | C +30"}),
		"each counts once":                      after(warm, [2]string{"begin refused=A", "request"}, [2]string{"2: begin refused=A", "request"}, [2]string{"2: token B 3600", "done | B +3540"}, [2]string{"begin refused=A", "done | B +3540"}, [2]string{"begin refused=B", "service_unauthorized 401 retry 1"}),
		"another call that refused another one": after(third, [2]string{"begin refused=A", "done | B +3540"}),
		"a set one is as young":                 {{"set A 60", ""}, {"begin refused=A", "request"}, {"token B 60", "done | B +30"}, {"begin refused=B", "service_unauthorized 401 retry 1"}},
		"one that is set again is not":          {{"set A 600", ""}, {"+10", ""}, {"set A 600", ""}, {"begin refused=A", "request"}, {"token B 60", "done | B +30"}, {"begin refused=B", "request"}},
		"the series ends ten minutes after": after(third, [2]string{"+602", ""}, [2]string{"begin force", "request | B +2938"}, [2]string{"token C 60", "done | C +30"},
			[2]string{"begin refused=C", "request"}, [2]string{"token D 60", "done | D +30"}, [2]string{"begin refused=D", "service_unauthorized 401 retry 1"}),
		"a second earlier it continues": after(third, [2]string{"+601", ""}, [2]string{"begin force", "request | B +2939"}, [2]string{"token C 60", "done | C +30"},
			[2]string{"begin refused=C", "service_unauthorized 401 retry 2"}),
		"a single one begins no series": after(second, [2]string{"+11", ""}, [2]string{"begin force", "request | B +3529"}, [2]string{"token C 60", "done | C +30"}, [2]string{"begin refused=C", "request"}),
		"patience grows with the series": after(third, [2]string{"+10", ""}, [2]string{"begin refused=B", "request"}, [2]string{"token C 3600", "done | C +3540"},
			[2]string{"+29", ""}, [2]string{"begin refused=C", "service_unauthorized 401 retry 2"}, [2]string{"+1", ""}, [2]string{"begin", "done | C +3510"},
			[2]string{"+1", ""}, [2]string{"begin refused=C", "request"}),
		"the one before a renewed one is not used if it was refused lately": after(short, [2]string{"+11", ""}, [2]string{"begin", "request | B +9"}, [2]string{"token C 3600", "done | C +3540"}),
		"but later":                          after(short, [2]string{"+12", ""}, [2]string{"begin", "request | B +8"}, [2]string{"token C 3600", "done | B +5"}),
		"a failed request is not part of it": after(third, [2]string{"+10", ""}, [2]string{"begin refused=B", "request"}, [2]string{"status 503", "token_endpoint_unavailable 503 retry 1"}, [2]string{"+1", ""}, [2]string{"begin", "request"}, [2]string{"token C 3600", "done | C +3540"}, [2]string{"+20", ""}, [2]string{"begin refused=C", "service_unauthorized 401 retry 2"}),
		"nor is the next token refused lately": after(third, [2]string{"+10", ""}, [2]string{"begin refused=B", "request"}, [2]string{"status 503", "token_endpoint_unavailable 503 retry 1"}, [2]string{"+1", ""}, [2]string{"begin", "request"}, [2]string{"2: begin", "request"},
			[2]string{"token C 3600", "done | C +3540"}, [2]string{"2: token D 3600", "done | C +5"}),
		"the store may have another one": {{"begin", "request"}, {"token A 60", "done | A +30"}, {"begin refused=A", "request"}, {"token B 60", "done | B +30"},
			{"begin store refused=B", "get token"}, {"stored C 3600 0 -20", "done | C +3540"}, {"+50", ""}, {"begin refused=C", "service_unauthorized 401 retry 2"}},
		"the store's continues a series, if there was no token": {{"begin store", "get token"}, {"stored A 3600 0 0", "done | A +3540"}, {"begin store refused=A", "get token"}, {"+1", ""}, {"null", "service_unauthorized 401"}},
		"not if there was one": after(warm, [2]string{"begin store refused=A used", "get token"}, [2]string{"stored B 3600 1 -20", "done | B +3540"}, [2]string{"begin refused=B", "request"}),
		"it is stored": {{"begin", "request"}, {"token A 60", "done | A +30"}, {"begin store refused=A", "get token"}, {"null", "add lock requesting 10"}, {"added", "request"},
			{"+2", ""}, {"token B 60", "set token B requested -2 series -2 58 | B +28"}},
		"no other token request during its backoff": after(third, [2]string{"begin force", "service_unauthorized 401 retry 1"}),
	})
}

func TestRefusedDuringBackoff(t *testing.T) {
	failing := after(warm, [2]string{"+3540", ""}, [2]string{"begin", "request | A +30"}, [2]string{"status 503 9", "done | A +9"})
	play(t, map[string]script{
		"the token stays for the others": after(failing, [2]string{"begin refused=A used", "token_endpoint_unavailable 503 retry 9"}, [2]string{"begin", "done | A +9"}),
		"a set one is used":              after(failing, [2]string{"set B 60", ""}, [2]string{"begin refused=A", "done | B +30"}),
		"the store's is used": after(failing, [2]string{"begin store refused=A", "get token"}, [2]string{"stored B 60", "done | B +30"},
			[2]string{"begin force", "request | A +5"}),
		"but not the refused one": after(failing, [2]string{"begin store refused=A", "get token"}, [2]string{"stored A 9000 -4000", "token_endpoint_unavailable 503 retry 9"}),
		"nor without a better one": after(failing, [2]string{"begin store refused=A", "get token"}, [2]string{"null", "token_endpoint_unavailable 503 retry 9"},
			[2]string{"begin store refused=A", "token_endpoint_unavailable 503 retry 9"}, [2]string{"+1", ""}, [2]string{"begin store refused=A", "get token"}),
	})
}
