package sandbox

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// wantInvalid checks that the jobs service refuses a token for a reason.
func wantInvalid(t *testing.T, s *Sandbox, token string, reason error) {
	t.Helper()
	a := getJobs(t, s, token)
	a.want(t, http.StatusUnauthorized)
	wantProblem(t, a, "invalid_token", reason.Error())
	if got := a.header.Get("WWW-Authenticate"); !strings.Contains(got, `error="invalid_token"`) {
		t.Errorf("WWW-Authenticate %q", got)
	}
	if strings.Contains(a.body, token) {
		t.Error("the error body has the token")
	}
}

func TestTamperedTokens(t *testing.T) {
	s := start(t, Config{})
	token := newToken(t, s)
	other := start(t, Config{})
	parts := strings.Split(token, ".")
	join := func(header, payload, signature string) string {
		return header + "." + payload + "." + signature
	}
	encode := base64.RawURLEncoding.EncodeToString
	for name, c := range map[string]struct {
		token  string
		reason error
	}{
		"signature":           {join(parts[0], parts[1], flip(parts[2])), errSignature},
		"payload":             {join(parts[0], encode([]byte(`{"scope":"automatic-rostering-prod"}`)), parts[2]), errSignature},
		"no algorithm":        {join(encode([]byte(`{"alg":"none"}`)), parts[1], ""), errSignature},
		"other sandbox's":     {newToken(t, other), errSignature},
		"not a token":         {"nonsense", errMalformed},
		"not base64":          {"a.!.c", errMalformed},
		"null claims":         {join(parts[0], encode([]byte(`null`)), parts[2]), errSignature},
		"numbers as audience": {join(parts[0], encode([]byte(`{"aud":[1]}`)), parts[2]), errSignature},
	} {
		t.Run(name, func(t *testing.T) { wantInvalid(t, s, c.token, c.reason) })
	}
	getJobs(t, s, token).want(t, http.StatusOK)
}

// flip changes the first letter; the last may carry no bits of the value.
func flip(s string) string {
	if s[0] == 'A' {
		return "B" + s[1:]
	}
	return "A" + s[1:]
}

func TestClaims(t *testing.T) {
	s := start(t, Config{})
	good := func() *oidc.AccessTokenClaims {
		expiry := time.Now().Add(time.Hour)
		c := oidc.NewAccessTokenClaims(s.AuthURL(), "x", nil, expiry, s.ledger.add(expiry), "x", 0)
		c.Scopes = oidc.SpaceDelimitedArray{StageScope}
		return c
	}
	for name, c := range map[string]struct {
		spoil  func(*oidc.AccessTokenClaims)
		reason error
	}{
		"issuer":    {func(c *oidc.AccessTokenClaims) { c.Issuer = "http://127.0.0.1:1" }, errIssuer},
		"expiry":    {func(c *oidc.AccessTokenClaims) { c.Expiration = oidc.FromTime(time.Now()) }, errExpired},
		"no expiry": {func(c *oidc.AccessTokenClaims) { c.Expiration = 0 }, errExpired},
		"scope":     {func(c *oidc.AccessTokenClaims) { c.Scopes = oidc.SpaceDelimitedArray{"other"} }, errScope},
		"no scope":  {func(c *oidc.AccessTokenClaims) { c.Scopes = nil }, errScope},
		"id":        {func(c *oidc.AccessTokenClaims) { c.JWTID = "never issued" }, errRevoked},
		"nonce":     {func(c *oidc.AccessTokenClaims) { c.Claims = map[string]any{"nonce": 1} }, errMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			claims := good()
			c.spoil(claims)
			token, err := s.minter.sign(claims)
			if err != nil {
				t.Fatal(err)
			}
			wantInvalid(t, s, token, c.reason)
		})
	}
	token, err := s.minter.sign(good())
	if err != nil {
		t.Fatal(err)
	}
	getJobs(t, s, token).want(t, http.StatusOK)
}

func TestTokenExpiresToTheSecond(t *testing.T) {
	s := start(t, Config{Lifetime: time.Second})
	token := newToken(t, s)
	left := time.Until(time.Unix(claimsOf(t, token).Expiry, 0))
	if left > 2*time.Second {
		t.Fatalf("a token that should live for a second has %v left", left)
	}
	time.Sleep(left)
	wantInvalid(t, s, token, errExpired)

	if err := s.SetLifetime(time.Hour); err != nil {
		t.Fatal(err)
	}
	getJobs(t, s, newToken(t, s)).want(t, http.StatusOK)
	wantInvalid(t, s, token, errExpired)
}

func TestSetLifetime(t *testing.T) {
	s := start(t, Config{})
	if err := s.SetLifetime(90 * time.Second); err != nil {
		t.Fatal(err)
	}
	if got := granted(t, s, Stage).ExpiresIn; got != 90 {
		t.Errorf("expires in %d", got)
	}
	for _, d := range []time.Duration{0, -time.Second, time.Millisecond, 1500 * time.Millisecond, maxLifetime + time.Second} {
		if s.SetLifetime(d) == nil {
			t.Errorf("lifetime %v was accepted", d)
		}
	}
}

func TestRevoke(t *testing.T) {
	s := start(t, Config{})
	// Repeated until both tokens were issued within one second of the clock.
	eventually(t, "two tokens in one second", func() bool {
		before := newToken(t, s)
		getJobs(t, s, before).want(t, http.StatusOK)
		s.Revoke()
		after := newToken(t, s)
		wantInvalid(t, s, before, errRevoked)
		getJobs(t, s, after).want(t, http.StatusOK)
		return claimsOf(t, before).IssuedAt == claimsOf(t, after).IssuedAt
	})
}

func TestLedgerForgetsExpiredTokens(t *testing.T) {
	l := newLedger()
	gone := l.add(time.Now().Add(-time.Second))
	kept := l.add(time.Now().Add(time.Hour))
	if l.has(gone) || !l.has(kept) || len(l.tokens) != 1 {
		t.Errorf("ledger %v", l.tokens)
	}
}
