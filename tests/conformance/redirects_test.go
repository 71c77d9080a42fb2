package conformance

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
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
		got, err := probeRedirects(all[0].Start(t)) // what HTTP client it has is the SDK's matter
		if err != nil {
			t.Fatal(err)
		}
		compareRecord(t, "redirects.json", language, got)
	})
}

// redirectStatuses are those of a redirect that a client may follow.
var redirectStatuses = []int{301, 302, 303, 307, 308}

// redirectOutcomes describes what a host does with a redirect, by status; equal outcomes have equal
// descriptions.
type redirectOutcomes map[int]string

// redirects is what a host does with redirects of the token endpoint and of the service.
type redirects struct {
	Token redirectOutcomes `json:"token"`
	Jobs  redirectOutcomes `json:"jobs"`
}

// The outcomes of a redirect that is not followed.
const (
	notFollowed = "not followed"
	ends        = "ends the call"
)

// probeRedirects tries a host with each status. The target of the redirect is not among its allowed
// hosts.
func probeRedirects(h *run.Host) (redirects, error) {
	result := redirects{redirectOutcomes{}, redirectOutcomes{}}
	for _, status := range redirectStatuses {
		var err error
		if result.Token[status], err = probeRedirect(h, "/connect/token", status); err != nil {
			return result, err
		}
		if result.Jobs[status], err = probeRedirect(h, "/jobs", status); err != nil {
			return result, err
		}
	}
	return result, nil
}

func probeRedirect(h *run.Host, path string, status int) (string, error) {
	other := &otherHost{}
	if err := other.start(); err != nil {
		return "", err
	}
	defer other.server.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case path:
			w.Header().Set("Location", other.server.URL+"/elsewhere")
			w.WriteHeader(status)
		case "/connect/token":
			io.WriteString(w, `{"access_token":"the-token","token_type":"Bearer"}`)
		}
	}))
	defer server.Close()
	made, err := h.Do(protocol.Request{
		Op: "create", Wasm: h.Wasm, WASI: h.WASI, AllowedHosts: []string{"127.0.0.1"},
		Config: map[string]string{
			"environment": "stage", "auth_url": server.URL, "base_url": server.URL,
			"client_id": "client-1", "client_secret": "the-secret", "customer_id": "the-customer", "user_id": "user-1",
		},
	})
	if err != nil || made.Trap != "" {
		return "", fmt.Errorf("no instance: %s, %w", made.Trap, err)
	}
	a, err := h.Do(protocol.Request{Op: "call", Export: "list_jobs", Input: []byte(`{"now":1800000000}`)})
	if err != nil {
		return "", err
	}
	return other.outcome(path == "/jobs", a.Trap != ""), nil
}

// otherHost is the server at another host to which redirects lead.
type otherHost struct {
	server *httptest.Server

	mutex sync.Mutex
	got   *http.Request
	body  string
}

func (e *otherHost) start() error {
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		return err
	}
	e.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mutex.Lock()
		defer e.mutex.Unlock()
		e.got, e.body = r, string(body)
	}))
	e.server.Listener.Close()
	e.server.Listener = listener
	e.server.Start()
	return nil
}

func (e *otherHost) outcome(jobs, trapped bool) string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	switch {
	case e.got == nil && trapped:
		return ends
	case e.got == nil:
		return notFollowed
	case !jobs:
		return "followed as " + e.got.Method + along("the secret", strings.Contains(e.body, "the-secret"))
	}
	return "followed" + along("the token", e.got.Header.Get("Authorization") != "") + "," + along("the ids", ids(e.got.Header))
}

func along(what string, is bool) string {
	if is {
		return " with " + what
	}
	return " without " + what
}

// ids reports whether the id went along; hosts may write the header's name as they like.
func ids(header http.Header) bool {
	for _, values := range header {
		if values[0] == "the-customer" {
			return true
		}
	}
	return false
}
