package service_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/memory"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/service"
)

func newHost() *memory.Host {
	return memory.New(map[string]string{"base_url": "https://api.example/v1/", "customer_id": "c 1", "user_id": "u", "client_secret": "s3cret42"})
}

func TestRequest(t *testing.T) {
	const ids = `"CUSTOMER_ID":"c 1","USER_ID":"u"`
	for _, tt := range []struct{ name, input, want string }{
		{"no input", ``, `{"method":"GET","url":"https://api.example/v1/jobs","headers":{` + ids + `}}`},
		{"other ids", `{"customer_id":"d","user_id":null}`, `{"method":"GET","url":"https://api.example/v1/jobs","headers":{"CUSTOMER_ID":"d"}}`},
		{"no ids", `{"customer_id":null,"user_id":null}`, `{"method":"GET","url":"https://api.example/v1/jobs","headers":{}}`},
		{"a custom one", `{"path":"/a?b=c","method":"PUT","headers":{"X":"y"},"body":true}`,
			`{"method":"PUT","url":"https://api.example/v1/a?b=c","headers":{` + ids + `,"X":"y"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := service.Request(newHost(), []byte(tt.input))
			if r.Kind != host.Output || string(r.Text) != tt.want {
				t.Errorf("got %s", r.Text)
			}
		})
	}
}

func TestRequestIsRefused(t *testing.T) {
	h := newHost()
	delete(h.Settings, "user_id")
	for input, want := range map[string]string{
		`{"path":"//evil"}`: `"key":"path"`, ``: `"key":"user_id"`, `{"now":1}`: `"key":"now"`,
		`{"body":true,"user_id":null}`: `"key":"body"`,
	} {
		if r := service.Request(h, []byte(input)); r.Kind != host.Error || !strings.Contains(string(r.Text), want) {
			t.Errorf("%s: %s", input, r.Text)
		}
	}
}

func response(status int, body string) *message.Response {
	return &message.Response{Status: status, Size: len(body),
		Load: func(most int) []byte { return []byte(body[:min(most, len(body))]) }}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		status     int
		code       string
		retryable  bool
		retryAfter int64
	}{
		{0, apierror.NetworkError, true, 0},
		{1, apierror.ServiceError, true, 7}, {99, apierror.ServiceError, true, 7},
		{100, apierror.ServiceError, false, 0}, {304, apierror.ServiceError, false, 0}, {302, apierror.ServiceError, false, 0},
		{400, apierror.ServiceError, false, 0}, {401, apierror.ServiceUnauthorized, true, 0}, {403, apierror.ServiceError, false, 0},
		{408, apierror.ServiceError, true, 7}, {429, apierror.ServiceError, true, 7}, {500, apierror.ServiceError, true, 7},
		{599, apierror.ServiceError, true, 7}, {600, apierror.ServiceError, true, 7}, {999, apierror.ServiceError, true, 7},
	} {
		e := service.NewError(&message.Response{Status: tt.status, RetryAfter: "7"}, nil)
		if e.Code != tt.code || e.Retryable != tt.retryable || e.RetryAfter != tt.retryAfter || e.Status != tt.status || e.HasBody || e.Message == "" {
			t.Errorf("%d: got %+v", tt.status, e)
		}
	}
}

// All that explain reads is redacted: it needs neither vars nor a clock.
func TestExplain(t *testing.T) {
	h := newHost()
	var logged []string
	h.Logged = func(_ host.Level, line string) { logged = append(logged, line) }
	for _, tt := range []struct{ input, want string }{
		{`{"status":401,"tokens":["token-number-1","token-number-2"],"body":"token-number-1 token-number-2 s3cret42 token-number-3"}`,
			`{"code":"service_unauthorized","retryable":true,"status":401,"body":"[redacted] [redacted] [redacted] token-number-3"}`},
		{`{"status":503,"headers":{"retry-after":"9"}}`, `{"code":"service_error","retryable":true,"status":503,"retry_after":9}`},
		{`{"failed":"no route to token-number-1","tokens":["token-number-1"]}`, `{"code":"network_error","retryable":true}`},
		{`{"status":0}`, `{"code":"network_error","retryable":true}`},
	} {
		r := service.Explain(h, []byte(tt.input))
		var got, want map[string]any
		if err := json.Unmarshal(r.Text, &got); err != nil || json.Unmarshal([]byte(tt.want), &want) != nil {
			t.Fatalf("%s: %v", r.Text, err)
		}
		text, _ := got["message"].(string)
		if delete(got, "message"); r.Kind != host.Output || text == "" || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %s", tt.input, r.Text)
		}
		if strings.Contains(text, "token-number") || strings.Contains(tt.input, "failed") != strings.Contains(text, "(no route to [redacted])") {
			t.Errorf("the message is %q", text)
		}
	}
	if got := strings.Join(logged, "; "); got != "HTTP 401 from the service; HTTP 503 from the service" {
		t.Errorf("logged %s", got)
	}
	if r := service.Explain(h, []byte(`{"status":200}`)); r.Kind != host.Error || !strings.Contains(string(r.Text), apierror.InvalidInput) {
		t.Errorf("of a result: %s", r.Text)
	}
}
