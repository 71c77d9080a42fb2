package rostering_test

import (
	"errors"
	"strings"
	"testing"

	"automatic-rostering/host-example/go/rostering"
)

// brokenPlugin has all exports, and all they do is to execute unreachable.
func brokenPlugin() []byte {
	names := []string{"get_token", "list_jobs", "send_request", "set_token", "clear_token", "begin", "resume"}
	exports := []byte{byte(len(names))}
	for _, name := range names {
		exports = append(exports, byte(len(name)))
		exports = append(exports, name+"\x00\x00"...) // function 0
	}
	wasm := "\x00asm\x01\x00\x00\x00" +
		"\x01\x05\x01\x60\x00\x01\x7f" + // type 0: no parameters, one i32
		"\x03\x02\x01\x00" + // function 0 is of type 0
		"\x07" + string(rune(len(exports))) + string(exports) +
		"\x0a\x05\x01\x03\x00\x00\x0b" // its code: unreachable, end
	return []byte(wasm)
}

func TestTrapOfThePluginIsNoNetworkError(t *testing.T) {
	client, err := rostering.Open(t.Context(), brokenPlugin(), rostering.Config{Timeout: -1}, rostering.WithCacheDir(""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close(t.Context()) }()
	_, err = client.Jobs(t.Context())
	if _, ok := errors.AsType[*rostering.Error](err); ok || err == nil {
		t.Fatalf("the error is %v", err)
	}
	if want := "rostering: the plugin failed: wasm error: unreachable"; err.Error() != want {
		t.Errorf("the error is %q, want %q", err, want)
	}
}

func TestErrorThatIsNotOfTheContract(t *testing.T) {
	for _, text := range []string{"out of memory", `{}`, `{"code":1}`, `[]`} {
		err := rostering.PluginError(text)
		if _, ok := errors.AsType[*rostering.Error](err); ok || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
}
