package call_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/call"
)

// FuzzFlow passes forged flows and any results to resume. Whatever they are, it returns a step
// or an error; no request goes elsewhere or is split, no secret is visible except in a token
// request, and calls still work afterwards.
func FuzzFlow(f *testing.F) {
	seeds := newSteps(&testing.T{})
	for _, accepts := range []string{"", "wait", "store"} {
		for _, name := range []string{"list_jobs", "get_token"} {
			seeds.begin(name, "", accepts)
		}
	}
	for range 30 {
		if len(seeds.calls) == 0 {
			break
		}
		c := seeds.calls[0]
		f.Add([]byte(c.step.Flow), seeds.result(c, ""))
		f.Add([]byte(c.step.Flow), `,"status":401`)
		seeds.calls = append(seeds.calls[1:], c)
		seeds.proceed(len(seeds.calls)-1, "")
	}
	f.Add([]byte(`{"call":"list_jobs","state":"using","origin":3,"of":1,"token":9}`), `,"status":200,"body":"x"`)
	f.Add([]byte(`{"call":"send_request","input":{"path":"/a","headers":{"X":"y"}},"state":"using","origin":2,"of":1,"token":9}`), `,"status":500,"body":"{}"`)
	f.Add([]byte(`{"call":"list_jobs","state":"requesting","of":1184570481}`), `,"status":200,"body":"{\"access_token\":\"0\",\"token_type\":\"Bearer\"}"`)
	f.Fuzz(func(t *testing.T, flow []byte, result string) {
		w := newSteps(t)
		w.forged = true
		w.begin("get_token", "", "wait")
		w.finish()
		for range 4 {
			next := call.Resume(w, fmt.Appendf(nil, `{"flow":%s,"now":%d%s}`, flow, w.time, result))
			if next.Kind == call.Fail {
				w.checkHidden("an error", string(next.Output))
				break
			}
			output := next.Output
			if next.Kind == call.GiveHeld {
				output = w.Held
			}
			var s step
			if err := json.Unmarshal(output, &s); err != nil {
				t.Fatalf("%s: %v", output, err)
			}
			if s.Step == "request" {
				u, err := url.Parse(s.Request.URL)
				if err != nil || u.Host != "auth.example" && u.Host != "api.example" || (u.Host == "auth.example") != (s.For == "token") {
					t.Fatalf("a request to %s, %v", s.Request.URL, err)
				}
				for name, value := range s.Request.Headers {
					if strings.ContainsAny(name+value, "\r\n") {
						t.Errorf("the header %q: %q", name, value)
					}
				}
			}
			if flow = s.Flow; flow == nil {
				break
			}
		}
		// There is no lasting harm: after the longest wait calls work.
		w.time, w.calls = w.time+4000, nil
		w.begin("list_jobs", "", "wait")
		w.finish()
	})
}
