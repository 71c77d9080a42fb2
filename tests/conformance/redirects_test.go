package conformance

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
)

// What a host does with a redirect to another host is recorded: whether it follows, and what goes
// along. A plugin cannot prevent it. One that does anything else is a failure, so that the record, and
// what is written about it, stays true.
func TestRedirects(t *testing.T) {
	hosts.Each(t, func(t *testing.T, language string, all []hosts.Host) {
		host := all[0].Start(t) // what HTTP client it has is the SDK's matter
		got := probe(func(path string) map[string]string {
			outcomes := map[string]string{}
			for _, status := range []int{301, 302, 303, 307, 308} {
				outcomes[fmt.Sprint(status)] = redirect(t, host, path, status)
			}
			return outcomes
		})
		compareRecord(t, recorded.Redirects, language, got)
	})
}

// redirect describes what a host does with a redirect of the server at a path. Its target is not among the
// host's allowed hosts.
func redirect(t *testing.T, h *run.Host, path string, status int) string {
	followed := make(chan string, 1)
	target := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		outcome := "followed" + along("the token", r.Header.Get("Authorization") != "") + "," + along("the ids", hasID(r.Header))
		if path != "/jobs" {
			outcome = "followed as " + r.Method + along("the secret", strings.Contains(string(body), url.QueryEscape(hostileSecret)))
		}
		select {
		case followed <- outcome:
		default:
		}
	}))
	var err error
	if target.Listener, err = net.Listen("tcp", "127.0.0.2:0"); err != nil {
		t.Fatal(err)
	}
	target.Start()
	defer target.Close()
	s, err := startHostile(path, kind{do: func(c net.Conn, _ string) {
		fmt.Fprintf(c, "HTTP/1.1 %d Moved\r\nLocation: %s/elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status, target.URL)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	made, err := h.Do(h.Create(s.config()))
	if err != nil || made.Trap != "" {
		t.Fatalf("no instance: %s, %v", made.Trap, err)
	}
	a, err := h.Do(protocol.Request{Op: "call", Export: "list_jobs", Input: []byte(`{"now":1800000000}`)})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case outcome := <-followed:
		return outcome
	default:
	}
	if a.Trap != "" {
		return "ends the call"
	}
	return "not followed"
}

func along(what string, is bool) string {
	if is {
		return " with " + what
	}
	return " without " + what
}

// hasID reports whether the id went along; hosts may write the header's name as they like.
func hasID(header http.Header) bool {
	for _, values := range header {
		if values[0] == "the-customer" {
			return true
		}
	}
	return false
}
