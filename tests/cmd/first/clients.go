package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
)

// libraries are the adapters whose clients are measured.
var libraries = []string{"go", "node", "deno", "bun", "python", "java", "rust", "c"}

// further is how many clients are opened after the first, and how often a call is made.
const further = 20

// clients prints what a client costs in a process that runs, and calls of which the plugin sees much. The
// adapter of a library opens them; the times include its own part, as the call of an open client shows.
func clients() error {
	var large, failing atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/connect/token":
			token := strings.Repeat("t", map[bool]int{false: 900, true: 32 << 10}[large.Load()])
			_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
		case failing.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = fmt.Fprint(w, strings.Repeat("x", 4<<10))
		}
	}))
	defer server.Close()
	fmt.Println("\n| library | first client | further client | memory of the first | of a further one | `list_jobs` | a 503 with 4 KiB | a token of 900 bytes | of 32 KiB |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, name := range libraries {
		row, err := clientsOf(name, server.URL, &large, &failing)
		if err != nil {
			fmt.Fprintf(os.Stderr, "without %s: %v\n", name, err)
			continue
		}
		fmt.Println(row)
	}
	return nil
}

// adapter is one that runs.
type adapter struct{ *protocol.Process }

func clientsOf(name, url string, large, failing *atomic.Bool) (string, error) {
	p, err := hosts.Library(name).Process(context.Background(), os.Stderr)
	if err != nil {
		return "", err
	}
	defer func() { _ = p.Close() }()
	a := adapter{p}
	if _, err := a.do(protocol.Request{Op: "versions"}, true); err != nil {
		return "", err
	}
	open := func(n int) protocol.Request {
		return protocol.Request{Op: "open", Client: fmt.Sprint(n), Config: map[string]string{
			"environment": "stage", "auth_url": url, "base_url": url, "client_id": "c", "client_secret": "the-secret", "customer_id": "c", "user_id": "u",
		}}
	}
	before := a.memory()
	first, err := a.do(open(0), true)
	if err != nil {
		return "", err
	}
	one := a.memory()
	each, err := a.least(open, true)
	if err != nil {
		return "", err
	}
	all := a.memory()
	times := []string{name, milliseconds(first), milliseconds(each), megabytes(one - before), megabytes((all - one) / further)}
	list := func(int) protocol.Request { return protocol.Request{Op: "list_jobs", Client: "1"} }
	get := func(int) protocol.Request {
		return protocol.Request{Op: "get_token", Client: "1", Call: protocol.Call{Force: true}}
	}
	for _, call := range []struct {
		large, failing bool
		request        func(int) protocol.Request
	}{{false, false, list}, {false, true, list}, {false, false, get}, {true, false, get}} {
		large.Store(call.large)
		failing.Store(call.failing)
		took, err := a.least(call.request, !call.failing)
		if err != nil {
			return "", err
		}
		times = append(times, milliseconds(took))
	}
	return "| " + strings.Join(times, " | ") + " |", nil
}

// least is the least time of some requests.
func (a adapter) least(request func(int) protocol.Request, succeeds bool) (least time.Duration, err error) {
	for n := range further {
		took, err := a.do(request(n+1), succeeds)
		if err != nil {
			return 0, err
		}
		if n == 0 || took < least {
			least = took
		}
	}
	return least, nil
}

func (a adapter) do(r protocol.Request, succeeds bool) (time.Duration, error) {
	began := time.Now()
	response, err := a.Do(r)
	if err == nil && (response.Error+response.Trap+response.Misuse == "") != succeeds {
		err = fmt.Errorf("%s ended with %+v", r.Op, response)
	}
	return time.Since(began), err
}

// memory is what the adapter has in memory, in KB.
func (a adapter) memory() int {
	fields, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(a.PID()), "statm"))
	if all := strings.Fields(string(fields)); len(all) > 1 {
		pages, _ := strconv.Atoi(all[1])
		return pages * os.Getpagesize() / 1000
	}
	return 0
}
