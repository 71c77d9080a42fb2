package oauth2_test

import (
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/backoff"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/oauth2"
)

func TestTheLockShowsAFailure(t *testing.T) {
	for _, failure := range []apierror.Error{
		{Code: apierror.TokenEndpointRejected, Status: 401},
		{Code: apierror.TokenEndpointUnavailable, Status: 503, Retryable: true},
		{Code: apierror.TokenResponseInvalid, Status: 200, Retryable: true},
		{Code: apierror.NetworkError, Retryable: true},
		{Code: apierror.ServiceUnauthorized, Status: 401, Retryable: true},
	} {
		read := oauth2.ReadFailure(failure.Members())
		lock := oauth2.ParseLock(read.Value(1_800_000_000, 60, 3))
		if !lock.Failed || lock.Done || lock.Until != 1_800_000_060 || lock.Wait != 60 || lock.Failures != 3 {
			t.Errorf("%s: %+v", failure.Code, lock)
			continue
		}
		got := lock.Error()
		if got.Message == "" || got.Code != failure.Code || got.Status != failure.Status || got.Retryable != failure.Retryable {
			t.Errorf("%s: %+v", failure.Code, got)
		}
	}
}

func TestIsRefusal(t *testing.T) {
	for err, want := range map[string]bool{
		`{"code":"service_unauthorized","message":"m"}`: true, `{"code":"network_error"}`: false, `{}`: false,
	} {
		if got := oauth2.IsRefusal([]byte(err)); got != want {
			t.Errorf("%s: %v", err, got)
		}
	}
}

const failed = `{"state":"failed","code":"network_error","status":0,"until":1800000060,"wait":60,"failures":1}`

func TestParseLock(t *testing.T) {
	if !oauth2.ParseLock(failed).Failed || !oauth2.ParseLock(oauth2.Done).Done || !oauth2.ParseLock(oauth2.Requesting).Requesting {
		t.Fatal("the plugin's own values are not read")
	}
	if more := strings.Replace(failed, "{", `{"more":1,`, 1); !oauth2.ParseLock(more).Failed {
		t.Errorf("an unknown field is not ignored: %s", more)
	}
	for _, tt := range []struct{ name, value string }{
		{"a request under way", oauth2.Requesting},
		{"nothing", ""},
		{"half of it", failed[:len(failed)-1]},
		{"another state", strings.Replace(failed, "failed", "fallen", 1)},
		{"no code", strings.Replace(failed, `"code":"network_error",`, "", 1)},
		{"a code of another error", strings.Replace(failed, "network_error", "invalid_input", 1)},
		{"a status above all", strings.Replace(failed, `"status":0`, `"status":1000`, 1)},
		{"no status of what needs one", strings.Replace(failed, "network_error", "token_endpoint_rejected", 1)},
		{"refused tokens with another status", `{"state":"failed","code":"service_unauthorized","status":500,"until":1800000060,"wait":60,"failures":1}`},
		{"no failures at all", strings.Replace(failed, `,"failures":1`, "", 1)},
		{"until as a string", strings.Replace(failed, "1800000060", `"1800000060"`, 1)},
		{"a negative until", strings.Replace(failed, "1800000060", "-1800000060", 1)},
		{"until with a fraction", strings.Replace(failed, "1800000060", "1800000060.5", 1)},
		{"no until", strings.Replace(failed, `,"until":1800000060`, "", 1)},
		{"no wait", strings.Replace(failed, `,"wait":60`, "", 1)},
		{"a negative wait", strings.Replace(failed, `"wait":60`, `"wait":-60`, 1)},
		{"no failures", strings.Replace(failed, `"failures":1`, `"failures":0`, 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := oauth2.ParseLock(tt.value); got.Done || got.Failed {
				t.Errorf("%s: %+v", tt.value, got)
			}
		})
	}
}

// FuzzLock parses any value of the store: what it accepts is within the limits.
func FuzzLock(f *testing.F) {
	f.Add(failed)
	f.Add(oauth2.Requesting)
	f.Add(oauth2.Done)
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
