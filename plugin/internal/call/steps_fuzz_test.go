package call_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"automatic-rostering/plugin/internal/call"
)

// FuzzResume hands changed flows and any answers to resume. Whatever they are, it ends
// in a step or an error; no request goes elsewhere or is split, no secret shows but in a
// token request, and calls go on to work.
func FuzzResume(f *testing.F) {
	f.Add([]byte(`{"call":"list_jobs","at":1800000000,"token":0,"marks":3}`), 200, `{"access_token":"t","token_type":"Bearer"}`)
	f.Add([]byte(`{"call":"list_jobs","input":{"user_id":"u1"},"at":1800000000,"token":1,"marks":0}`), 401, "")
	f.Add([]byte(`{"call":"send_request","input":{"path":"/a","headers":{"X":"y"}},"at":253402300799,"token":9,"marks":6}`), 500, "{}")
	f.Add([]byte(`{"call":"get_token","input":{"force":true,"now":0},"at":1,"token":65535,"marks":11}`), 0, `{"error":"x"}`)
	f.Fuzz(func(t *testing.T, changed []byte, status int, body string) {
		h := newHost(t)
		h.listJobs("", grants("t-one", 3600), jobs("t-one", 200))
		rest, err := json.Marshal(map[string]any{"status": status, "body": body})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			in := append(append([]byte(`{"flow":`), changed...), ',')
			step := call.Resume(h, append(in, rest[1:]...))
			if step.Kind == call.Fail {
				h.checkHidden("an error", string(step.Output))
				break
			}
			var s struct {
				Flow    json.RawMessage
				Request *struct {
					Method, URL, Body string
					Headers           map[string]string
				}
			}
			if err := json.Unmarshal(step.Output, &s); err != nil {
				t.Fatalf("%s: %v", step.Output, err)
			}
			if s.Request == nil {
				break
			}
			u, err := url.Parse(s.Request.URL)
			if err != nil || u.Host != "auth.example" && u.Host != "api.example" {
				t.Fatalf("a request to %s, %v", s.Request.URL, err)
			}
			for name, value := range s.Request.Headers {
				if strings.ContainsAny(name+value, "\r\n") {
					t.Errorf("the header %q: %q", name, value)
				}
			}
			changed = s.Flow
		}
		// Nothing that lasts was harmed: after the longest wait calls work.
		h.now += 4000
		step := h.beginListJobs("")
		if step.done() {
			t.Fatalf("got %s", step.result())
		}
		step.take(grants("t-two", 3600), jobs("t-two", 200)).wantAnswer()
	})
}
