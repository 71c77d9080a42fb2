package rostering_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"automatic-rostering/host-example/go/rostering"
)

func TestToken(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		config := s.config()
		config.BaseURL, config.CustomerID, config.UserID = "", "", "" // not needed
		client := open(t, config)
		first, err := client.Token(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if string(first.AccessToken) != "token-1" || first.Type != "Bearer" || first.CacheKey == "" {
			t.Errorf("%v", first)
		}
		if left := time.Until(first.ExpiresAt); left <= 0 || left > time.Hour {
			t.Errorf("the token expires in %v", left)
		}
		if again, err := client.Token(t.Context()); err != nil || again != first {
			t.Errorf("%v, %v", again, err)
		}
		if forced, err := client.ForceToken(t.Context()); err != nil || string(forced.AccessToken) != "token-2" {
			t.Errorf("%v, %v", forced, err)
		}
	})
}

func TestFailedForceKeepsTheToken(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		first, err := client.Token(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.answerToken(answer(http.StatusServiceUnavailable, ""))
		_, err = client.ForceToken(t.Context())
		if e := wantError(t, err, rostering.CodeTokenEndpointUnavailable); !e.Retryable || e.RetryAfter <= 0 {
			t.Errorf("%+v", e)
		}
		if again, err := client.Token(t.Context()); err != nil || again != first {
			t.Errorf("%v, %v", again, err)
		}
	})
}

func TestRefreshMargin(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		s.answerToken(answer(http.StatusOK, `{"access_token":"abc","expires_in":1,"token_type":"Bearer"}`))
		for _, margin := range []time.Duration{-1, 0, 1, 1500 * time.Millisecond} {
			config := s.config()
			config.RefreshMargin = margin
			if _, err := open(t, config).Token(t.Context()); err != nil {
				t.Errorf("%v: %v", margin, err)
			}
		}
	})
}

func TestTokenDoesNotShow(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		token, err := open(t, s.config()).Token(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			wantHidden(t, fmt.Sprintf(format, token), "token-1")
		}
	})
}

func TestSharedInstanceRenewsItsToken(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		s.answerToken(answer(http.StatusOK, `{"access_token":"abc","expires_in":1,"token_type":"Bearer"}`))
		client := open(t, s.config())
		wantJobs(t, client)
		for deadline := time.Now().Add(patience); s.tokenRequests.Load() < 2; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the token was never renewed: the plugin has no clock")
			}
			wantJobs(t, client)
		}
	})
}
