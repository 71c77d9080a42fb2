package suite

import (
	"fmt"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/contract"
	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
)

// notText are values of the keys whose typed config is no text in each language.
var notText = map[string]string{"environment": "production", "refresh_margin": "100", "allow_http": "true"}

// The keys of the schema are those that each library has in its typed config and reads from variables:
// each is named by the error about a value of two lines.
func TestKeys(t *testing.T) {
	keys, _, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		host := h.Start(t)
		for _, k := range keys {
			key := k.Name
			variable := "ROSTERING_" + strings.ToUpper(key)
			wrong := opened(t, host.Adapter, protocol.Request{Open: protocol.Open{Variables: with(variable, "a\nb")}})
			if !strings.Contains(wrong.Error, variable) || !strings.Contains(wrong.Error, fmt.Sprintf(`"%s"`, key)) {
				t.Errorf("the error about the variable %s is %+v", variable, wrong)
			}
			value, hasType := notText[key]
			if !hasType {
				value = "a\nb"
			}
			typed := opened(t, host.Adapter, protocol.Request{Config: with(key, value)})
			named := strings.Contains(typed.Error, fmt.Sprintf(`"%s"`, key)) || strings.Contains(typed.Misuse, key) // of an enum
			if failed := typed.Error+typed.Misuse+typed.Trap != ""; hasType == failed || failed && !named {
				t.Errorf("with the key %s in the typed config it ends with %+v", key, typed)
			}
		}
		unknown := opened(t, host.Adapter, protocol.Request{Config: with("not_a_key", "x")})
		if unknown.Error+unknown.Misuse+unknown.Trap == "" {
			t.Error("a key that the schema does not have is taken")
		}
	})
}

// with is a config, or its variables, with one value in addition.
func with(name, value string) map[string]string {
	prefix, is := "", strings.ToLower
	if strings.HasPrefix(name, "ROSTERING_") {
		prefix, is = "ROSTERING_", strings.ToUpper
	}
	return map[string]string{
		prefix + is("environment"): "stage", prefix + is("auth_url"): "http://127.0.0.1:1", prefix + is("client_id"): "client-1",
		prefix + is("client_secret"): held.Secret, name: value,
	}
}

func opened(t *testing.T, host interface {
	Do(protocol.Request) (protocol.Response, error)
}, r protocol.Request) protocol.Response {
	t.Helper()
	r.Op, r.Client = "open", t.Name()
	a, err := host.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if a.Error+a.Misuse+a.Trap == "" {
		if _, err := host.Do(protocol.Request{Op: "close", Client: r.Client}); err != nil {
			t.Error(err)
		}
	}
	return a
}

// Each code of the schema is that of an error in a row, and so of each library.
func TestCodes(t *testing.T) {
	_, codes, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{}
	for _, row := range load(t) {
		for _, c := range row.Cases {
			for _, s := range c.Steps {
				if s.Want != nil && s.Want.Error != nil {
					wanted[fmt.Sprint(s.Want.Error["code"])] = true
				}
			}
		}
	}
	for _, code := range codes {
		if !wanted[code] {
			t.Errorf("no row has the error %s", code)
		}
	}
}
