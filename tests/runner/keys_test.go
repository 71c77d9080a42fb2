package runner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/tests/runner/contract"
	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/play"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
)

// valid are values of the keys that not every text is one of.
var valid = map[string]string{
	"environment": "production", "auth_url": "http://127.0.0.1:2", "base_url": "http://127.0.0.1:2", "refresh_margin": "100", "allow_http": "true",
}

// notText are the keys whose typed config is no text in each language.
var notText = []string{"environment", "refresh_margin", "allow_http"}

// typedConfigs are the files with the keys of each library.
var typedConfigs = map[string]string{
	"c":          "sdk/c/src/config.rs",
	"go":         "sdk/go/config.go",
	"java":       "sdk/java/src/main/java/example/automaticrostering/RosteringConfig.java",
	"javascript": "sdk/javascript/src/config.js",
	"python":     "sdk/python/automatic_rostering/config.py",
	"rust":       "sdk/rust/src/config.rs",
}

// The keys of the schema are those that each library has in its typed config and reads from variables: a valid value opens a
// client, and the error about a value of two lines names the key.
func TestKeys(t *testing.T) {
	keys, _, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		host, file := h.Start(t), typedConfigs[h.Language]
		for _, k := range keys {
			key := k.Name
			named := fmt.Sprintf(`"%s"`, key)
			variable := "ROSTERING_" + strings.ToUpper(key)
			wrong := opened(t, host, protocol.Request{Open: protocol.Open{Variables: with(variable, "a\nb")}})
			if !strings.Contains(wrong.Error, variable) || !strings.Contains(wrong.Error, named) {
				t.Errorf("%s does not read the variable %s: the error about an invalid value is %q", file, variable, howEnded(wrong))
			}
			right := opened(t, host, protocol.Request{Config: with(key, cmp.Or(valid[key], "x"))})
			if failed(right) {
				t.Errorf("%s does not have the key %s: a valid value ends with %s", file, key, howEnded(right))
			} else if !slices.Contains(notText, key) {
				wrong := opened(t, host, protocol.Request{Config: with(key, "a\nb")})
				if !strings.Contains(wrong.Error, named) {
					t.Errorf("%s does not pass the key %s on: an invalid value ends with %q", file, key, howEnded(wrong))
				}
			}
		}
		if !failed(opened(t, host, protocol.Request{Config: with("not_a_key", "x")})) {
			t.Errorf("%s takes a key that the schema does not have", file)
		}
	})
}

func failed(a protocol.Response) bool { return howEnded(a) != "" }

// howEnded returns how it failed, or "".
func howEnded(a protocol.Response) string { return cmp.Or(a.Error, a.Misuse, a.Trap) }

// with is a config, or its variables, with one value in addition.
func with(name, value string) map[string]string {
	prefix, is := "", strings.ToLower
	if strings.HasPrefix(name, "ROSTERING_") {
		prefix, is = "ROSTERING_", strings.ToUpper
	}
	return map[string]string{
		prefix + is("environment"): "stage", prefix + is("auth_url"): "http://127.0.0.1:1", prefix + is("client_id"): "client-1",
		prefix + is("client_secret"): rule.Secret, name: value,
	}
}

func opened(t *testing.T, host *play.Player, r protocol.Request) protocol.Response {
	t.Helper()
	r.Op, r.Client = "open", t.Name()
	a, err := host.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if !failed(a) {
		if _, err := host.Do(protocol.Request{Op: "close", Client: r.Client}); err != nil {
			t.Error(err)
		}
	}
	return a
}

// Each code of the schema is that of an error in a case of libraries.
func TestCodes(t *testing.T) {
	_, codes, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{}
	for _, r := range load(t) {
		for _, c := range r.Cases {
			for _, s := range c.Steps {
				if c.Players != "plugin" && (s.Error != nil || s.Fails != nil) {
					wanted[cmp.Or(s.Error.Code(), s.Fails.Code())] = true
				}
			}
		}
	}
	for _, code := range codes {
		if !wanted[code] {
			t.Errorf("no library has the error %s", code)
		}
	}
}
