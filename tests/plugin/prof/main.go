package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"automatic-rostering/tests/stubhost"
)

type lf struct{}
type frame struct {
	name  string
	start time.Time
	child time.Duration
}

var stack []frame
var excl = map[string]time.Duration{}
var cnt = map[string]int{}

func (lf) NewFunctionListener(d api.FunctionDefinition) experimental.FunctionListener { return l{d.DebugName()} }

type l struct{ n string }

func (x l) Before(ctx context.Context, m api.Module, d api.FunctionDefinition, p []uint64, s experimental.StackIterator) {
	stack = append(stack, frame{x.n, time.Now(), 0})
}
func (x l) After(ctx context.Context, m api.Module, d api.FunctionDefinition, r []uint64) {
	f := stack[len(stack)-1]
	stack = stack[:len(stack)-1]
	t := time.Since(f.start)
	excl[f.name] += t - f.child
	cnt[f.name]++
	if len(stack) > 0 {
		stack[len(stack)-1].child += t
	}
}
func (x l) Abort(ctx context.Context, m api.Module, d api.FunctionDefinition, err error) {}

func main() {
	ctx := experimental.WithFunctionListenerFactory(context.Background(), lf{})
	wasm, _ := os.ReadFile("/tmp/debug.wasm")
	h, err := stubhost.NewWith(ctx, wazero.NewRuntimeConfigInterpreter(), wasm)
	if err != nil {
		panic(err)
	}
	h.Config = map[string]string{
		"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example/api",
		"client_id": "client", "client_secret": "the-client's secret/+&%", "customer_id": "c", "user_id": "u",
	}
	size := 900
	if len(os.Args) > 2 {
		size = 32 << 10
	}
	token := strings.Repeat("eyJhbGciOiJSUzI1NiJ9", size/20+1)[:size]
	call := func(e, in string) string {
		o, f, err := h.Call(ctx, e, in)
		if err != nil {
			panic(err)
		}
		return string(o) + f
	}
	for i := 0; i < 2; i++ {
		var st struct{ Flow json.RawMessage }
		clear(h.Vars)
		json.Unmarshal([]byte(call("begin", `{"call":"list_jobs","accepts":["wait"],"input":{"now":1800000000}}`)), &st)
		text, _ := json.Marshal(fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, token))
		clear(excl); clear(cnt)
		o := call("resume", fmt.Sprintf(`{"flow":%s,"now":1800000000,"status":200,"body":%s}`, st.Flow, text))
		if os.Args[1] == "503" {
			json.Unmarshal([]byte(o), &st)
			b := `{"error":"unavailable","details":"the database is busy: 98 % of 100 connections\n"},`
			b = strings.Repeat(b, 4096/len(b)+1)[:4096]
			text, _ = json.Marshal(b)
			json.Unmarshal([]byte(call("begin", `{"call":"list_jobs","accepts":["wait"],"input":{"now":1800000000}}`)), &st)
			clear(excl); clear(cnt)
			call("resume", fmt.Sprintf(`{"flow":%s,"now":1800000000,"status":503,"body":%s}`, st.Flow, text))
		}
	}
	var names []string
	var sum time.Duration
	for n, t := range excl {
		names = append(names, n)
		sum += t
	}
	sort.Slice(names, func(i, j int) bool { return excl[names[i]] > excl[names[j]] })
	fmt.Println(sum)
	for _, n := range names[:22] {
		fmt.Println(excl[n], cnt[n], n)
	}
}
