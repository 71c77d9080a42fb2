package apierror_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
)

// fields is an error as a host reads it.
type fields map[string]any

func decode(t *testing.T, object []byte) fields {
	t.Helper()
	var f fields
	if err := json.Unmarshal(object, &f); err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	return f
}

func TestErrorOmitsUnknownFields(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  apierror.Error
		want fields
	}{
		{"code, message and retryable are always there",
			apierror.Error{Code: apierror.NetworkError, Message: "m", Retryable: true},
			fields{"code": "network_error", "message": "m", "retryable": true}},
		{"an error of a field", *apierror.Input("now", "m"),
			fields{"code": "invalid_input", "message": "m", "retryable": false, "key": "now"}},
		{"an error of a config key", *apierror.Config("scope", "m"),
			fields{"code": "config_invalid", "message": "m", "retryable": false, "key": "scope"}},
		{"a missing config key", *apierror.Missing("client_id", "m"),
			fields{"code": "config_missing", "message": "m", "retryable": false, "key": "client_id"}},
		{"an error of no field", *apierror.Input("", "m"),
			fields{"code": "invalid_input", "message": "m", "retryable": false}},
		{"an OAuth error",
			apierror.Error{Code: apierror.TokenEndpointRejected, Message: "m", Status: 400, OAuthError: "invalid_client", OAuthErrorDescription: "d"},
			fields{"code": "token_endpoint_rejected", "message": "m", "retryable": false, "status": 400.0,
				"oauth_error": "invalid_client", "oauth_error_description": "d"}},
		{"seconds to wait",
			apierror.Error{Code: apierror.TokenEndpointUnavailable, Message: "m", Retryable: true, RetryAfter: 3600},
			fields{"code": "token_endpoint_unavailable", "message": "m", "retryable": true, "retry_after": 3600.0}},
		{"a body",
			apierror.Error{Code: apierror.ServiceError, Message: "m", Status: 500, HasBody: true, Body: []byte("b")},
			fields{"code": "service_error", "message": "m", "retryable": false, "status": 500.0, "body": "b"}},
		{"an empty body",
			apierror.Error{Code: apierror.ServiceError, Message: "m", HasBody: true},
			fields{"code": "service_error", "message": "m", "retryable": false, "body": ""}},
		{"a body that was cut, and seconds to wait",
			apierror.Error{Code: apierror.ServiceUnauthorized, Message: "m", HasBody: true, Body: []byte("b"), BodyTruncated: true, RetryAfter: 1},
			fields{"code": "service_unauthorized", "message": "m", "retryable": false, "body": "b", "body_truncated": true, "retry_after": 1.0}},
		{"characters that JSON escapes",
			apierror.Error{Code: "c", Message: "m", HasBody: true, Body: []byte("\"\\\n\x00</é\u2028😀")},
			fields{"code": "c", "message": "m", "retryable": false, "body": "\"\\\n\x00</é\u2028😀"}},
		{"invalid UTF-8 is replaced",
			apierror.Error{Code: "c", Message: "m", HasBody: true, Body: []byte("a\xffb\xc3")},
			fields{"code": "c", "message": "m", "retryable": false, "body": "a\ufffdb\ufffd"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := decode(t, tt.err.AppendJSON(nil)); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %v\nwant %v", got, tt.want)
			}
		})
	}
}

func TestAppendJSONAppends(t *testing.T) {
	got := (&apierror.Error{Code: "c", Message: "m"}).AppendJSON([]byte("before"))
	if string(got[:6]) != "before" {
		t.Fatalf("got %s", got)
	}
	decode(t, got[6:])
}

func TestRetryAfterIsAddedLater(t *testing.T) {
	kept := (&apierror.Error{Code: apierror.NetworkError, Message: "m", Retryable: true, RetryAfter: 7}).Members()
	want := fields{"code": "network_error", "message": "m", "retryable": true, "retry_after": 42.0}
	if got := decode(t, apierror.AppendObject(nil, kept, 42)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCodesAreThoseOfTheContract(t *testing.T) {
	got := []string{apierror.InvalidInput, apierror.ConfigMissing, apierror.ConfigInvalid, apierror.ClockUnusable,
		apierror.TokenEndpointRejected, apierror.TokenEndpointUnavailable, apierror.TokenResponseInvalid,
		apierror.ServiceUnauthorized, apierror.ServiceError, apierror.NetworkError}
	want := []string{"invalid_input", "config_missing", "config_invalid", "clock_unusable",
		"token_endpoint_rejected", "token_endpoint_unavailable", "token_response_invalid",
		"service_unauthorized", "service_error", "network_error"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestNetworkAndMismatch(t *testing.T) {
	e := apierror.Network("no response", "auth_url")
	if e.Code != apierror.NetworkError || !e.Retryable || !strings.Contains(e.Message, "no response; check auth_url") {
		t.Errorf("got %+v", e)
	}
	if e = apierror.Mismatch("another's"); e.Code != apierror.TokenMismatch || e.Retryable || e.Message != "another's; request a new one with get_token" {
		t.Errorf("got %+v", e)
	}
}
