package plugin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"automatic-rostering/tests/stubhost"
)

// What an interpreter of WebAssembly pays for is bytes. BenchmarkInterpreter has the calls with the
// most of them: the largest token, the largest body of an error, and one that takes a search for
// secrets longest.
//
//	go test -run - -bench Interpreter ./plugin
func BenchmarkInterpreter(b *testing.B) {
	wasm, err := readFile("dist/rostering-nowasi.wasm")
	if err != nil {
		b.Fatal(err)
	}
	for _, tokenSize := range []int{900, 32 << 10} {
		token := strings.Repeat("eyJhbGciOiJSUzI1NiJ9", tokenSize/20+1)[:tokenSize]
		h, err := stubhost.NewWith(b.Context(), wazero.NewRuntimeConfigInterpreter(), wasm)
		if err != nil {
			b.Fatal(err)
		}
		defer h.Close(b.Context())
		h.Config = config()
		call := func(b *testing.B, export, input string) string {
			output, failure, err := h.Call(b.Context(), export, input)
			if err != nil {
				b.Fatal(err)
			}
			return string(output) + failure
		}
		measure := func(name, export, input string, prepare func()) {
			b.Run(fmt.Sprintf("token of %d bytes, %s", tokenSize, name), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					prepare()
					b.StartTimer()
					call(b, export, input)
				}
			})
		}
		inText := func(text string) []byte {
			quoted, _ := json.Marshal(text)
			return quoted
		}
		var step struct{ Flow json.RawMessage }
		if err := json.Unmarshal([]byte(call(b, "begin", `{"now":1800000000}`)), &step); err != nil {
			b.Fatal(err)
		}
		response := fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, token)
		measure("resume with it", "resume", fmt.Sprintf(`{"flow":%s,"now":1800000000,"status":200,"body":%s}`, step.Flow, inText(response)), func() { clear(h.Vars) })
		for _, size := range []int{4 << 10, 64 << 10} {
			body := func(pattern string) string { return strings.Repeat(pattern, size/len(pattern)+1)[:size] }
			for name, text := range map[string]string{
				"":                   body(`{"error":"unavailable","details":"the database is busy: 98 % of 100 connections\n"},`),
				" that resembles it": body(token[:20]),
			} {
				measure(fmt.Sprintf("a 503 of %d KiB%s", size>>10, name), "explain",
					fmt.Sprintf(`{"status":503,"body":%s,"tokens":[%q]}`, inText(text), token), func() {})
			}
		}
		measure("begin", "begin", `{"now":1800000000}`, func() {})
	}
}
