package oauth2_test

import (
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
)

// FuzzLock parses any value of the store: what it accepts is within the limits. The rules show
// what it rejects.
func FuzzLock(f *testing.F) {
	const failed = `{"state":"failed","code":"network_error","status":0,"until":1800000060,"wait":60,"failures":1}`
	f.Add(failed)
	for _, change := range []string{`"failed" "fallen"`, `"network_error" "invalid_input"`, `"network_error" "token_endpoint_rejected"`, `:0 :1000`, `,"failures":1 `, `,"until":1800000060 `,
		`,"wait":60 `, `1800000060 "1800000060"`, `:1800000060 :-1800000060`, `1800000060 1800000060.5`, `:60 :-60`, `:60 :0`, `:1} :0}`, `:60 :9999`, `:1} :9999999}`} {
		old, new, _ := strings.Cut(change, " ")
		f.Add(strings.Replace(failed, old, new, 1))
	}
	f.Fuzz(func(t *testing.T, value string) {
		lock := oauth2.ParseLock(value)
		if !lock.Failed {
			return
		}
		if e := lock.Error(); e == nil || e.Code == "" || lock.Done {
			t.Errorf("%s: %+v", value, lock)
		}
		if lock.Until < 1 || lock.Until > clock.Latest || lock.Wait < 1 || lock.Wait > backoff.MaxWait || lock.Failures < 1 || lock.Failures > backoff.MaxFailures {
			t.Errorf("%s: %+v", value, lock)
		}
	})
}
