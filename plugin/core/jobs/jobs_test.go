package jobs_test

import (
	"reflect"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/input"
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

func TestTheStatusSaysWhatKindOfErrorItIs(t *testing.T) {
	const unauthorized, failed = apierror.ServiceUnauthorized, apierror.ServiceError
	for _, tt := range []struct {
		status    int
		code      string
		retryable bool
	}{
		{100, failed, false}, {199, failed, false},
		{300, failed, false}, {302, failed, false}, {304, failed, false}, {399, failed, false},
		{400, failed, false}, {401, unauthorized, false}, {402, failed, false}, {403, failed, false}, {404, failed, false},
		{407, failed, false}, {408, failed, true}, {409, failed, false},
		{428, failed, false}, {429, failed, true}, {430, failed, false}, {499, failed, false},
		{500, failed, true}, {501, failed, true}, {503, failed, true}, {599, failed, true}, {600, failed, false},
	} {
		err := jobs.ParseResponse(response(tt.status, "why"), secrets)
		if err == nil || err.Code != tt.code || err.Retryable != tt.retryable || err.Status != tt.status || err.Message == "" {
			t.Errorf("%d: got %+v", tt.status, err)
		} else if !err.HasBody || string(err.Body) != "why" || err.BodyTruncated {
			t.Errorf("%d: body %q", tt.status, err.Body)
		}
	}
}

func TestA2xxIsNotRead(t *testing.T) {
	for _, status := range []int{200, 201, 204, 299} {
		a := response(status, "[]")
		a.Load = func(int) []byte { t.Errorf("%d: loaded", status); return nil }
		if err := jobs.ParseResponse(a, secrets); err != nil {
			t.Errorf("%d: %+v", status, err)
		}
	}
}

func TestNoResponseIsANetworkError(t *testing.T) {
	for _, a := range []*message.Response{response(0, ""), response(0, "text"), response(200, "\x00")} {
		err := jobs.ParseResponse(a, secrets)
		if err == nil || err.Code != apierror.NetworkError || !err.Retryable || err.Status != 0 || err.HasBody {
			t.Errorf("%d: got %+v", a.Status, err)
		}
	}
}

func TestCustomRequest(t *testing.T) {
	service := config.Service{BaseURL: "https://api.example/v1", CustomerID: "c", UserID: "u"}
	own := input.Request{Path: "/a?b", Method: "PATCH", Body: "x", Headers: []message.Header{{Name: "X", Value: "y"}}}
	want := jobs.NewRequest(&service, "t")
	want.URL, want.Method, want.Body = "https://api.example/v1/a?b", "PATCH", "x"
	want.Headers = append(want.Headers, own.Headers...)
	if got := jobs.NewOwnRequest(&service, "t", &own); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

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
