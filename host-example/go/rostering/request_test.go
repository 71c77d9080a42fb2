package rostering_test

import (
	"io"
	"net/http"
	"testing"

	"automatic-rostering/host-example/go/rostering"
)

func TestSendRequest(t *testing.T) {
	for _, tt := range []struct {
		in                 rostering.Request
		request, body      string
		kind, customer, id []string
	}{
		{rostering.Request{Path: "/jobs?a=%20b"}, "GET /jobs?a=%20b", "", nil, []string{"customer"}, []string{"user"}},
		{
			rostering.Request{
				Path: "/jobs", Method: "PUT", Headers: map[string]string{"Content-Type": "text/plain"}, Body: "ü\n",
				For: rostering.JobsInput{CustomerID: "c2", OmitUserID: true},
			},
			"PUT /jobs", "ü\n", []string{"text/plain"}, []string{"c2"}, nil,
		},
		{rostering.Request{Path: "/jobs", Method: "POST"}, "POST /jobs", "", nil, []string{"customer"}, []string{"user"}},
	} {
		inEachForm(t, func(t *testing.T, open opener) {
			s := newService(t)
			s.answerJobs(func(w http.ResponseWriter, r *http.Request) {
				if got := r.Method + " " + r.RequestURI; got != tt.request {
					t.Errorf("the request is %s, want %s", got, tt.request)
				}
				if body, err := io.ReadAll(r.Body); err != nil || string(body) != tt.body {
					t.Errorf("the body is %q, %v, want %q", body, err, tt.body)
				}
				wantHeader(t, r, "Authorization", "Bearer token-1")
				wantHeader(t, r, "CUSTOMER_ID", tt.customer...)
				wantHeader(t, r, "USER_ID", tt.id...)
				wantHeader(t, r, "Content-Type", tt.kind...)
				_, _ = io.WriteString(w, "\x00\xff")
			})
			body, err := open(t, s.config()).SendRequest(t.Context(), tt.in)
			if err != nil || string(body) != "\x00\xff" {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	for key, in := range map[string]rostering.Request{
		"path":        {Path: "//elsewhere.example"},
		"method":      {Path: "/", Method: "TRACE"},
		"headers":     {Path: "/", Headers: map[string]string{"Authorization": "mine"}},
		"body":        {Path: "/", Method: "POST", Body: "\xff"},
		"customer_id": {Path: "/", For: rostering.JobsInput{CustomerID: "\n"}},
	} {
		inEachForm(t, func(t *testing.T, open opener) {
			s := newService(t)
			_, err := open(t, s.config()).SendRequest(t.Context(), in)
			if e := wantError(t, err, rostering.CodeInvalidInput); e.Key != key {
				t.Errorf("%+v, want %s", e, key)
			}
			s.wantRequests(t, 0, 0)
		})
	}
}
