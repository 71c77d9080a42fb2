package sandbox

import (
	"context"
	"net"
	"net/url"
	"runtime"
	"testing"
	"time"
)

func TestStartRefuses(t *testing.T) {
	for name, c := range map[string]Config{
		"a public address":    {Addr: "0.0.0.0"},
		"a name":              {Addr: "example.org"},
		"a port":              {Addr: "127.0.0.1:8080"},
		"a negative lifetime": {Lifetime: -time.Hour},
		"half a second":       {Lifetime: 500 * time.Millisecond},
	} {
		if s, err := Start(t.Context(), c); err == nil {
			t.Errorf("%s: accepted", name)
			_ = s.Close()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := Start(ctx, Config{}); err == nil {
		t.Error("started with a context that had ended")
		_ = s.Close()
	}
}

func TestClient(t *testing.T) {
	s := start(t, Config{StageSecret: "one", ProductionSecret: "two"})
	for environment, want := range map[string][2]string{
		Stage:      {StageClientID, "one"},
		Production: {ProductionClientID, "two"},
		"other":    {"", ""},
	} {
		if id, secret := s.Client(environment); id != want[0] || secret != want[1] {
			t.Errorf("%s: %q, %q", environment, id, secret)
		}
	}
	if Scope("other") != "" {
		t.Error("an unknown environment has a scope")
	}
	_, one := start(t, Config{}).Client(Stage)
	_, two := start(t, Config{}).Client(Stage)
	if one == "" || one == two {
		t.Error("the secrets are not random")
	}
}

func addresses(t *testing.T, s *Sandbox) []string {
	t.Helper()
	var all []string
	for _, address := range []string{s.AuthURL(), s.BaseURL(), s.ControlURL()} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, u.Host)
	}
	return all
}

// listens reports whether a server accepts connections.
func listens(address string) bool {
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

func TestAddressesAreLoopback(t *testing.T) {
	s := start(t, Config{Addr: "localhost"})
	seen := make(map[string]bool)
	for _, address := range addresses(t, s) {
		host, _, err := net.SplitHostPort(address)
		if err != nil || !net.ParseIP(host).IsLoopback() || seen[address] {
			t.Errorf("address %q", address)
		}
		seen[address] = true
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := Start(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	token := newToken(t, s)
	getJobs(t, s, token)
	setFault(t, s, JobsServer, Fault{Delay: maxDelay})
	ended := make(chan error, 1)
	request := jobsRequest(t, s, token)
	go func() {
		_, err := try(request)
		ended <- err
	}()
	eventually(t, "the delayed request", func() bool { return s.Counts().JobRequests == 2 })
	idle, err := net.Dial("tcp", addresses(t, s)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = idle.Close() }()

	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	for _, address := range addresses(t, s) {
		if listens(address) {
			t.Errorf("%s still listens", address)
		}
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the delayed request succeeded")
		}
	case <-time.After(patience):
		t.Fatal("the delayed request did not end")
	}
	eventually(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

func TestContextCloses(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Start(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	address := addresses(t, s)[2]
	eventually(t, "the sandbox to close", func() bool { return !listens(address) })
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
