package rostering

import (
	"fmt"
	"net/url"
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
		"8 bytes at 3 are not":                                    func(block uint64) { h.at(block+3, 8) },
		"18446744073709551615 bytes at 1 are not within 10 bytes": func(block uint64) { h.at(block+1, 1<<64-1) },
		"a block of 18446744073709551615 bytes":                   func(uint64) { h.alloc(1<<64 - 1) },
		"a block of 1 bytes":                                      func(uint64) { h.used = mostBlocks - 64; h.alloc(1) },
		"a var of 1 bytes": func(uint64) {
			h.setVar("key", make([]byte, mostVars-6))
			h.setVar("key", make([]byte, mostVars-6)) // in place of it
			h.setVar("another", make([]byte, 1))
		},
	} {
		h = extismHost{vars: map[string]string{}}
		h.reset([]byte("input"))
		block := h.put("0123456789")
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("it ended with %s, want %s", got, want)
				}
			}()
			f(block)
		}()
	}
}

func TestInstanceAfterTraps(t *testing.T) {
	config := Config{Scope: "s", AuthURL: "https://login.example.com", ClientID: "client", ClientSecret: "secret"}
	i, err := new(settings).load(t.Context(), config.keys())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = i.close(t.Context()) }()
	for _, tt := range []struct{ export, input, want string }{
		{"get_token", fmt.Sprintf(`{"now":%d}`, time.Now().Unix()), "the plugin failed: the plugin sent a request itself, which a step never does"},
		{"begin", strings.Repeat("x", mostPages<<16), "the plugin failed: wasm error: unreachable"},
		{"none", "", `the plugin has no export "none"`},
	} {
		for range 200 { // more than fit on a stack that traps do not reset
			if _, err := i.run(tt.export, []byte(tt.input)); err == nil || err.Error() != "rostering: "+tt.want {
				t.Fatalf("%s ended with %v, want %s", tt.export, err, tt.want)
			}
			if _, err := i.run("clear_token", nil); err != nil { // with its backoff
				t.Fatal(err)
			}
		}
	}
}

func TestOrigins(t *testing.T) {
	for base, urls := range map[string]map[string]bool{
		"https://Api.Example.com/v1": {
			"https://api.example.com/": true, "HTTPS://api.example.com:443": true, "https://user@API.example.com?a": true,
			"http://api.example.com/": false, "https://api.example.com:8443": false, "https://api.example.com.": false,
			"https://example.com": false, "https://api.example.com.evil.example": false, "https://api.example.com@evil.example": false,
		},
		"http://127.0.0.1:80": {"http://127.0.0.1/": true, "http://127.0.0.1:443/": false, "https://127.0.0.1:80/": false},
		"http://[::1]:8080":   {"http://[::1]:8080/x": true, "http://[::1]/": false},
	} {
		for text, want := range urls {
			if u, err := url.Parse(text); err != nil || origin(u) == baseOrigin(base) != want {
				t.Errorf("%s gets the token of %s: %v, want %v", text, base, !want, want)
			}
		}
	}
}

func TestMarginIsRoundedUp(t *testing.T) {
	if got := (&Config{RefreshMargin: 1500 * time.Millisecond}).margin(); got != "2" {
		t.Errorf("1.5 s are %q", got)
	}
}
