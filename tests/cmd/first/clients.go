package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/protocol"
)

// further is how many clients are opened after the first, and how often a call is made.
const further = 20

// server grants tokens, large ones or not, and its service can be down.
type server struct {
	*httptest.Server
	large, down atomic.Bool
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/connect/token":
		token := strings.Repeat("t", 900)
		if s.large.Load() {
			token = strings.Repeat("t", 32<<10)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
	case s.down.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprint(w, strings.Repeat("x", 4<<10))
	}
}

// clients prints what a client costs in a process that runs, and calls of which the plugin sees much. The
// adapter of a library opens them; the times include its own part, as the call of an open client shows.
func clients() {
	s := new(server)
	s.Server = httptest.NewServer(s)
	defer s.Close()
	fmt.Println()
	row("library", "first client", "further client", "memory of the first", "of a further one", "`list_jobs`", "a 503 with 4 KiB", "a token of 900 bytes", "of 32 KiB")
	row("---", "---", "---", "---", "---", "---", "---", "---", "---")
	for _, name := range []string{"go", "node", "deno", "bun", "python", "java", "rust", "c"} {
		cells, err := s.clientsOf(name)
		if err != nil {
			log.Printf("without %s: %v", name, err)
			continue
		}
		row(cells...)
	}
}

func (s *server) clientsOf(name string) (cells []string, err error) {
	p, err := hosts.Library(name).Process(context.Background(), os.Stderr)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }()
	// least is the least time of some requests: n of them, from the first on.
	least := func(from, n int, succeed bool, request protocol.Request) (least time.Duration) {
		for i := from; i < from+n && err == nil; i++ {
			if request.Op == "open" {
				request.Client = fmt.Sprint(i)
			}
			began := time.Now()
			var response protocol.Response
			response, err = p.Do(request)
			if err == nil && (response.Error+response.Trap+response.Misuse == "") != succeed {
				err = fmt.Errorf("%s ended with %+v", request.Op, response)
			}
			if took := time.Since(began); i == from || took < least {
				least = took
			}
		}
		return least
	}
	open := protocol.Request{Op: "open", Config: map[string]string{
		"environment": "stage", "auth_url": s.URL, "base_url": s.URL, "client_id": "c", "client_secret": "the-secret", "customer_id": "c", "user_id": "u",
	}}
	list := protocol.Request{Op: "list_jobs", Client: "1"}
	get := protocol.Request{Op: "get_token", Client: "1", Call: protocol.Call{Force: true}}
	least(0, 1, true, protocol.Request{Op: "versions"})
	before := memory(p.PID(), "VmRSS")
	first := least(0, 1, true, open)
	one := memory(p.PID(), "VmRSS")
	each := least(1, further, true, open)
	all := memory(p.PID(), "VmRSS")
	listed := least(0, further, true, list)
	s.down.Store(true)
	failed := least(0, further, false, list)
	s.down.Store(false)
	small := least(0, further, true, get)
	s.large.Store(true)
	large := least(0, further, true, get)
	s.large.Store(false)
	return []string{
		name, milliseconds(first), milliseconds(each), megabytes(one - before), megabytes((all - one) / further),
		milliseconds(listed), milliseconds(failed), milliseconds(small), milliseconds(large),
	}, err
}
