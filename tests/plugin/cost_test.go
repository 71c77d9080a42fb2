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
		flow := func(b *testing.B) string {
			var step struct{ Flow json.RawMessage }
			output := call(b, "begin", `{"call":"list_jobs","accepts":["wait"],"input":{"now":1800000000}}`)
			if err := json.Unmarshal([]byte(output), &step); err != nil {
				b.Fatal(err)
			}
			return string(step.Flow)
		}
		resume := func(name, body string, status int, prepare func()) {
			text, _ := json.Marshal(body)
			b.Run(fmt.Sprintf("token of %d bytes, %s", tokenSize, name), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					prepare()
					input := fmt.Sprintf(`{"flow":%s,"now":1800000000,"status":%d,"body":%s}`, flow(b), status, text)
					b.StartTimer()
					call(b, "resume", input)
				}
			})
		}
		response := fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, token)
		resume("resume with it", response, 200, func() { clear(h.Vars) })
		for _, size := range []int{4 << 10, 64 << 10} {
			body := func(pattern string) string { return strings.Repeat(pattern, size/len(pattern)+1)[:size] }
			usual := body(`{"error":"unavailable","details":"the database is busy: 98 % of 100 connections\n"},`)
			resume(fmt.Sprintf("a 503 of %d KiB", size>>10), usual, 503, func() {})
			resume(fmt.Sprintf("a 503 of %d KiB that resembles it", size>>10), body(token[:20]), 503, func() {})
		}
		b.Run(fmt.Sprintf("token of %d bytes, warm begin", tokenSize), func(b *testing.B) {
			for b.Loop() {
				flow(b)
			}
		})
	}
}
