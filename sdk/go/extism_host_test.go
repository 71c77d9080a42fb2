package rostering

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestBoundsOfHostFunctions(t *testing.T) {
	var h extismHost
	for want, f := range map[string]func(block uint64){
		"no block begins at":                                      func(block uint64) { h.block(block + 1) },
		"no block begins at the offset ":                          func(block uint64) { h.at(block+1<<32, 1) },
		"1 bytes at 0 are not within 0":                           func(uint64) { h.at(0, 1) },
		"1 bytes at 10 are not":                                   func(block uint64) { h.at(block+10, 1) },
		"8 bytes at 3 are not":                                    func(block uint64) { h.at(block+3, 8) },
		"18446744073709551615 bytes at 1 are not within 10 bytes": func(block uint64) { h.at(block+1, 1<<64-1) },
		"8 bytes at 18446744073709551615 are not within 5 bytes":  func(uint64) { within(h.input, 1<<64-1, 8) },
		"a block of 18446744073709551615 bytes":                   func(uint64) { h.alloc(1<<64 - 1) },
		"a block of 16777216 bytes":                               func(uint64) { h.alloc(mostBlocks) },
		"a block of 1 bytes": func(uint64) {
			for {
				h.alloc(1)
			}
		},
		"a var of 1048576 bytes": func(uint64) { h.setVar("key", make([]byte, mostVars)) },
		"a var of 1 bytes": func(uint64) {
			for n := 0; ; n++ {
				h.setVar(fmt.Sprint(n, strings.Repeat("k", 1000)), []byte{1})
			}
		},
	} {
		h = extismHost{vars: map[string]string{}}
		h.reset([]byte("input"))
		block := h.put("0123456789")
		if got := fmt.Sprint(trapped(func() { f(block) })); !strings.Contains(got, want) {
			t.Errorf("it ended with %s, want %s", got, want)
		}
	}
}

func trapped(f func()) (reason any) {
	defer func() { reason = recover() }()
	f()
	return nil
}

func TestVars(t *testing.T) {
	h := extismHost{vars: map[string]string{}}
	for _, value := range []string{"", strings.Repeat("v", mostVars-6), "b", ""} {
		h.setVar("key", []byte(value))
		h.reset(nil)
		if got := string(h.block(h.put(h.vars["key"]))); got != value {
			t.Errorf("the var has %d bytes, want %d", len(got), len(value))
		}
	}
}

func TestInstanceAfterTraps(t *testing.T) {
	s := &settings{clock: time.Now}
	config := Config{Environment: Stage, AuthURL: "https://login.example.com", BaseURL: "https://rostering.example.com",
		ClientID: "client", ClientSecret: "secret", CustomerID: "customer", UserID: "user"}
	i, err := s.load(t.Context(), config.keys())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = i.close(t.Context()) }()
	now := fmt.Appendf(nil, `{"now":%d}`, time.Now().Unix())
	for _, tt := range []struct {
		export string
		input  []byte
		want   string
	}{
		{"list_jobs", now, "the plugin failed: the plugin sent a request itself, which a step never does"},
		{"begin", make([]byte, mostPages<<16), "the plugin failed: wasm error: unreachable"},
		{"none", nil, `the plugin has no export "none"`},
	} {
		for range 200 { // more than fit on a stack that traps do not reset
			if _, err := i.call(t.Context(), tt.export, tt.input); err == nil || err.Error() != "rostering: "+tt.want {
				t.Fatalf("%s ended with %v, want %s", tt.export, err, tt.want)
			}
			if _, err := i.call(t.Context(), "clear_token", nil); err != nil { // with its backoff
				t.Fatal(err)
			}
		}
	}
	if err := i.check(t.Context()); err != nil {
		t.Error(err)
	}
}
