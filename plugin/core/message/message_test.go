package message_test

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"

	"automatic-rostering/plugin/core/message"
)

func TestFailed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   bool
	}{
		{"no status", 0, "", true},
		{"no status, but a body", 0, "{}", true},
		{"200 with a single NUL byte: cut off by the host's limit", 200, "\x00", true},
		{"200 with two NUL bytes", 200, "\x00\x00", false},
		{"200 with one other byte", 200, "1", false},
		{"200 without a body", 200, "", false},
		{"another 2xx with a single NUL byte", 201, "\x00", false},
		{"an error with a single NUL byte", 500, "\x00", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := message.Response{Status: tt.status, Size: len(tt.body),
				Load: func(most int) []byte { return []byte(tt.body[:min(most, len(tt.body))]) }}
			if got := a.Failed(); got != tt.want {
				t.Errorf("Failed = %v", got)
			}
		})
	}
}

func TestABodyForTheCallerIsNotLoaded(t *testing.T) {
	a := message.Response{Status: 200, Size: 2, Load: func(int) []byte { t.Error("loaded"); return []byte("{}") }}
	if a.Failed() {
		t.Error("Failed")
	}
}

// asHosts is a request as Extism hosts decode it.
type asHosts struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

func TestRequestAsExtismHostsTakeIt(t *testing.T) {
	for _, tt := range []struct {
		name    string
		request message.Request
		want    asHosts
	}{
		{"no header",
			message.Request{Method: "GET", URL: "https://host/jobs"},
			asHosts{"GET", "https://host/jobs", map[string]string{}}},
		{"two headers; the body is passed separately",
			message.Request{Method: "POST", URL: "https://host/", Headers: []message.Header{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}}, Body: "x=y"},
			asHosts{"POST", "https://host/", map[string]string{"A": "1", "B": "2"}}},
		{"characters that JSON escapes",
			message.Request{Method: "GET", URL: `https://host/"<&>`, Headers: []message.Header{{Name: "A", Value: `"\`}}},
			asHosts{"GET", `https://host/"<&>`, map[string]string{"A": `"\`}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := tt.request.AppendJSON([]byte("before"))
			var got asHosts
			if err := json.Unmarshal(b[len("before"):], &got); err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for _, tt := range []struct{ name, url, want string }{
		{"host and path", "https://host/jobs", "host/jobs"},
		{"a port and a prefix", "http://localhost:8080/api/jobs", "localhost:8080/api/jobs"},
		{"no query", "https://host/jobs?secret=1", "host/jobs"},
		{"no query with a URL in it", "https://host/jobs?u=https://other/", "host/jobs"},
		{"no path", "https://host", "host"},
		{"no host, if the config is invalid", ":///jobs", "/jobs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := message.Request{Method: "POST", URL: tt.url}
			for _, status := range []int{100, 200, 503, 999} {
				want := "HTTP " + strconv.Itoa(status) + " to POST " + tt.want
				if got := r.Line(status); got != want {
					t.Errorf("Line = %q, want %q", got, want)
				}
			}
		})
	}
}

func TestARequestInAStepHasItsBody(t *testing.T) {
	r := message.Request{Method: "POST", URL: "https://host/a", Headers: []message.Header{{Name: "X", Value: "y"}}}
	const head = `{"method":"POST","url":"https://host/a","headers":{"X":"y"}`
	r.Body = "a \"b\"\n"
	if got := string(r.AppendWithBody([]byte("x"))); got != "x"+head+`,"body":"a \"b\"\u000a"}` {
		t.Errorf("with one: %s", got)
	}
}
