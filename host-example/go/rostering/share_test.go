package rostering_test

import (
	"net/http"
	"testing"
	"time"

	"automatic-rostering/host-example/go/rostering"
)

func TestATokenIsHandedFromOneClientToAnother(t *testing.T) {
	inEachForm(t, func(t *testing.T, openFirst opener) {
		inEachForm(t, func(t *testing.T, openSecond opener) {
			s := newService(t)
			first, second := openFirst(t, s.config()), openSecond(t, s.config())
			token, err := first.Token(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			kept, err := rostering.ParseToken(token.Object())
			if err != nil || kept != token {
				t.Errorf("%v became %v, %v", token, kept, err)
			}
			for range 2 { // the second time changes nothing
				if err := second.SetToken(t.Context(), kept); err != nil {
					t.Fatal(err)
				}
			}
			wantJobs(t, second)
			s.wantRequests(t, 1, 1)
		})
	})
}

func TestATokenThatIsOfNoUse(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		token, err := client.Token(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		expired, foreign := token, token
		expired.ExpiresAt = time.Now().Add(-time.Second)
		foreign.CacheKey += "x"
		for _, wrong := range []rostering.Token{expired, foreign} {
			wantError(t, client.SetToken(t.Context(), wrong), rostering.CodeTokenMismatch)
		}
		wantError(t, client.SetToken(t.Context(), rostering.Token{}), rostering.CodeInvalidInput)
		if again, err := client.Token(t.Context()); err != nil || again != token {
			t.Errorf("%v, %v", again, err)
		}
	})
}

func TestWhatIsNoTokenObject(t *testing.T) {
	for _, object := range []string{"", "[]", `{"access_token":1}`, `{"expires_at":"s3cr3t"}`} {
		if _, err := rostering.ParseToken([]byte(object)); err == nil {
			t.Errorf("%s was read", object)
		}
	}
}

func TestClearToken(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		wantJobs(t, client)
		if err := client.ClearToken(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.answerToken(answer(http.StatusServiceUnavailable, ""))
		_, err := client.Jobs(t.Context())
		wantError(t, err, rostering.CodeTokenEndpointUnavailable)
		s.mend()
		if err := client.ClearToken(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantJobs(t, client) // the back-off is forgotten, too
		s.wantRequests(t, 3, 2)
	})
}
