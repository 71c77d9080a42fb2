package rostering_test

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"automatic-rostering/host-example/go/rostering"
)

func TestHundredsOfCallsOverAPoolShareOneToken(t *testing.T) {
	const instances, callers = 4, 300
	s := newService(t)
	pool := openPool(t, instances, s.config())
	list := func() {
		if body, err := pool.Jobs(t.Context()); err != nil || string(body) != jobs {
			t.Errorf("%q, %v", body, err)
		}
	}
	s.answerJobs(gather(t, callers, answer(http.StatusOK, jobs), func() {
		const each = callers / instances
		if got := pool.UnderWay(); !slices.Equal(got, []int{each, each, each, each}) {
			t.Errorf("the instances have %d calls", got)
		}
	}))
	together(callers, list)
	s.wantRequests(t, 1, callers)
	s.revoke("token-1")
	together(callers, list)
	if got := s.tokenRequests.Load(); got != 2 {
		t.Errorf("%d token requests, want one more after the token was revoked", got)
	}
}

// inTurn makes calls on each instance of a pool: each waits for the others.
func inTurn(t *testing.T, s *service, pool client, instances int) {
	t.Helper()
	s.answerJobs(gather(t, instances, answer(http.StatusOK, jobs)))
	together(instances, func() {
		if _, err := pool.Jobs(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestATokenIsSetForAllInstances(t *testing.T) {
	const instances = 3
	s := newService(t)
	token, err := open(t, s.config()).Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pool := openPool(t, instances, s.config())
	if err := pool.SetToken(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	inTurn(t, s, pool, instances)
	s.wantRequests(t, 1, instances)
}

func TestTheTokenIsClearedInAllInstances(t *testing.T) {
	const instances = 3
	s := newService(t)
	pool := openPool(t, instances, s.config())
	inTurn(t, s, pool, instances)
	if err := pool.ClearToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	inTurn(t, s, pool, instances)
	s.wantRequests(t, 2, 2*instances)
}

func TestAForcedTokenIsThatOfAllInstances(t *testing.T) {
	const instances = 3
	s := newService(t)
	pool := openPool(t, instances, s.config())
	inTurn(t, s, pool, instances)
	if _, err := pool.ForceToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.answerJobs(gather(t, instances, func(w http.ResponseWriter, r *http.Request) {
		wantHeader(t, r, "Authorization", "Bearer token-2")
	}))
	together(instances, func() {
		if _, err := pool.Jobs(t.Context()); err != nil {
			t.Error(err)
		}
	})
	s.wantRequests(t, 2, 2*instances)
}

func TestAPoolGoesOnAfterAFailedTokenRequest(t *testing.T) {
	s := newService(t)
	pool := openPool(t, 2, s.config())
	s.answerToken(answer(http.StatusServiceUnavailable, ""))
	_, err := pool.Jobs(t.Context())
	wantError(t, err, rostering.CodeTokenEndpointUnavailable)
	s.mend()
	if err := pool.ClearToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantJobs(t, pool)
	s.wantRequests(t, 2, 1)
}

func TestAFailedRenewalInAPoolIsLoggedOnce(t *testing.T) {
	extism.SetLogLevel(extism.LogLevelWarn)
	defer extism.SetLogLevel(extism.LogLevelOff)
	s := newService(t)
	var warnings []string
	pool := openPool(t, 2, s.config(), rostering.WithLog(func(_ slog.Level, line string) {
		warnings = append(warnings, line)
	}))
	wantJobs(t, pool)
	pool.SetClock(func() time.Time { return time.Now().Add(time.Hour - 30*time.Second) }) // within the margin
	s.answerToken(answer(http.StatusServiceUnavailable, ""))
	wantJobs(t, pool)
	if len(warnings) != 1 || !strings.Contains(warnings[0], "the old one, still valid, is used") {
		t.Errorf("the warnings are %q", warnings)
	}
}

func TestAPoolOfNone(t *testing.T) {
	for _, size := range []int{0, -1} {
		if _, err := rostering.OpenPoolFile(t.Context(), wasmPath, size, rostering.Config{}); err == nil {
			t.Errorf("opened with %d instances", size)
		}
	}
}
