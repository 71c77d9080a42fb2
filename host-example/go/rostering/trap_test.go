package rostering_test

import (
	"errors"
	"strings"
	"testing"

	"automatic-rostering/host-example/go/rostering"
)

// brokenPlugin has both exports, and all they do is to execute unreachable.
const brokenPlugin = "\x00asm\x01\x00\x00\x00" +
	"\x01\x05\x01\x60\x00\x01\x7f" + // type 0: no parameters, one i32
	"\x03\x02\x01\x00" + // function 0 is of type 0
	"\x07\x19\x02" + "\x09get_token\x00\x00" + "\x09list_jobs\x00\x00" + // exported twice
	"\x0a\x05\x01\x03\x00\x00\x0b" // its code: unreachable, end

func TestTrapOfThePluginIsNoNetworkError(t *testing.T) {
	client, err := rostering.Open(t.Context(), []byte(brokenPlugin), rostering.Config{Timeout: -1}, rostering.WithCacheDir(""))
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
