package jobs_test

import (
	"reflect"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/jobs"
	"automatic-rostering/plugin/core/message"
)

func TestRequest(t *testing.T) {
	authorization := message.Header{Name: "Authorization", Value: "Bearer a.b"}
	customer, user := message.Header{Name: "CUSTOMER_ID", Value: "c 1"}, message.Header{Name: "USER_ID", Value: "u"}
	for _, tt := range []struct {
		name    string
		service config.Service
		want    []message.Header
	}{
		{"both ids", config.Service{CustomerID: "c 1", UserID: "u"}, []message.Header{authorization, customer, user}},
		{"no customer_id", config.Service{UserID: "u"}, []message.Header{authorization, user}},
		{"no user_id", config.Service{CustomerID: "c 1"}, []message.Header{authorization, customer}},
		{"neither", config.Service{}, []message.Header{authorization}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.service.BaseURL = "https://api.example/v1"
			want := message.Request{Method: "GET", URL: "https://api.example/v1/jobs", Headers: tt.want}
			if got := jobs.NewRequest(&tt.service, "a.b"); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func response(status int, body string) *message.Response {
	return &message.Response{Status: status, Size: len(body),
		Load: func(most int) []byte { return []byte(body[:min(most, len(body))]) }}
}

func secrets() []string { return []string{"s3cret42", "tok.en42"} }

func TestAResponseWithoutItsBody(t *testing.T) {
	noSecrets := func() []string { return nil }
	for status, retryAfter := range map[int]int64{408: 7, 429: 7, 503: 7, 403: 0, 302: 0, 401: 0} {
		e := jobs.ParseResponse(&message.Response{Status: status, RetryAfter: "7"}, noSecrets)
		if e == nil || e.HasBody || e.Status != status || e.RetryAfter != retryAfter {
			t.Errorf("%d: got %+v", status, e)
		}
	}
	e := jobs.ParseResponse(&message.Response{Reason: "no route"}, noSecrets)
	if e == nil || e.Code != apierror.NetworkError || !strings.Contains(e.Message, "(no route)") || !e.Retryable {
		t.Errorf("got %+v", e)
	}
}
