package plugin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// longestInput is that of a target: longer ones are only slower.
const longestInput = 64 << 10

var exports = []string{"get_token", "list_jobs", "send_request", "begin", "resume", "set_token", "clear_token", "check", "version", "request", "explain"}

// FuzzExports calls an export with any input, with a token and without one.
func FuzzExports(f *testing.F) {
	for n, inputs := range [][]string{
		{``, `{"force":true,"now":1.8e9}`, `{"refused":"@T","now":1800000000}`},
		{`{"now":1800000000}`, `{"customer_id":null,"user_id":"a b","now":1800000000}`, `{"customer_id":"\ud83d"}`},
		{`{"path":"/a?b=%41","method":"POST","body":"\u20ac","headers":{"A":"b\tc"},"now":1800000000}`, `{"path":"/%2e%2e/"}`},
		{`{"accepts":["store"],"now":1800000000}`, `{"refused":"@T","used":true,"now":1800000000}`},
		{`{"flow":{"state":"requesting","client":"@K","progress":"1800000000 0 0 0 0 0 0 0 0 0 0 0 0 0 "},"status":200,"body":"@S"}`, `{"flow":{}}`},
		{`{"access_token":"@P","expires_at":1800003600,"cache_key":"@K","now":1800000000}`},
		{` `, `{}`}, {"\n", `[]`}, {`{`, "\xff"},
		{`{"path":"/a?b","method":"PUT","body":true}`, `{"user_id":null}`},
		{`{"status":500,"body":"@S @T","headers":{"Retry-After":"5"},"tokens":["@T"]}`, `{"failed":"@S"}`},
	} {
		for _, input := range inputs {
			f.Add(uint8(n), []byte(input))
			f.Add(uint8(n+len(exports)), []byte(input))
		}
	}
	f.Fuzz(func(t *testing.T, export uint8, input []byte) {
		if len(input) > longestInput {
			return
		}
		w := newFuzzed(t)
		if int(export)/len(exports)%2 == 1 {
			w.responses = []response{granted}
			w.call("get_token", fmt.Sprintf(`{"now":%d}`, fuzzNow))
		}
		w.responses = []response{granted, found}
		w.secrets = w.secrets[:1] // the input may name tokens, which are then sent
		w.call(exports[int(export)%len(exports)], withSecrets.Replace(string(input)))
		w.works()
	})
}

// FuzzResponses responds to the requests of direct calls with anything.
func FuzzResponses(f *testing.F) {
	for _, body := range []string{``, "\x00", `{}`, `{"access_token":"@T","token_type":"bEARER","expires_in":"99999"}`, `{"access_token":"a.b","expires_in":36e2}`,
		`{"error":"invalid_client @S","error_description":"@S @T"}`, `{"access_token":"\u0000"`, "\xff@S", strings.Repeat("[", 2000)} {
		for _, status := range []uint16{0, 200, 302, 401, 429, 500, 999} {
			f.Add(uint8(1), status, []byte(body), uint16(200), []byte("the jobs"))
			f.Add(uint8(status), uint16(200), granted.body, status, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, export uint8, tokenStatus uint16, tokenBody []byte, status uint16, body []byte) {
		if len(tokenBody)+len(body) > longestInput {
			return
		}
		w := newFuzzed(t)
		w.secrets = w.secrets[:1]
		if export%5 > 2 {
			w.responses = []response{granted}
			w.call("get_token", fmt.Sprintf(`{"now":%d}`, fuzzNow))
			w.secrets = append(w.secrets, fuzzToken)
		}
		token := response{int(tokenStatus) % 1000, []byte(withSecrets.Replace(string(tokenBody))), tokenStatus/1000%8 == 7}
		service := response{int(status) % 1000, []byte(withSecrets.Replace(string(body))), status/1000%8 == 7}
		w.responses = []response{token, service, service}
		switch export % 5 {
		case 3: // with a token that the service may refuse
			w.responses = []response{service, token, service}
		case 4:
			w.responses = []response{service, granted, service}
		}
		input := fmt.Sprintf(`{"now":%d}`, fuzzNow)
		name := exports[export%2]
		e := w.call(name, input)
		if name == "list_jobs" && e.failure == "" && !e.lost && string(e.output) != string(service.body) {
			t.Fatalf("list_jobs returns %q, not %q", e.output, service.body)
		}
		w.secrets = w.secrets[:1]
		w.call(name, input) // within a backoff, or with the token that came
		w.works()
	})
}

// result is what a host that works passes for a step.
func result(s *fuzzedStep, value, lock string, added bool) string {
	switch {
	case s.Step == "store" && s.Op == "get":
		text := value
		if strings.HasSuffix(s.Key, ":lock") {
			text = lock
		}
		if text == "" {
			return `,"value":null`
		}
		b, _ := json.Marshal(text)
		return `,"value":` + string(b)
	case s.Op == "add":
		return fmt.Sprintf(`,"added":%v`, added)
	case s.Step == "request":
		return `,"status":200,"body":"` + inJSON(string(granted.body)) + `"`
	}
	return ""
}

// FuzzFlow takes some steps of a call, changes the flow, and passes any result with it.
func FuzzFlow(f *testing.F) {
	for _, piece := range []string{``, `0`, `1`, ` 9`, `"writing_lock"`, `"state":"awaiting_lock",`, "\r\n", `\ud800`, `,"client":"x"`} {
		for steps := range uint8(5) {
			f.Add(steps, uint16(40), uint16(40), []byte(piece), []byte(`,"now":1800000001,"status":401,"body":"@S @T"`))
			f.Add(steps+16, uint16(20), uint16(30), []byte(piece), []byte(`,"value":null`))
			f.Add(steps+32, uint16(1), uint16(0), []byte(piece), []byte(`,"failed":"@S"`))
			f.Add(steps+128, uint16(0), uint16(0), []byte(piece), []byte(`,"added":false`))
		}
	}
	f.Fuzz(func(t *testing.T, steps uint8, from, to uint16, piece, given []byte) {
		if len(piece)+len(given) > longestInput {
			return
		}
		w := newFuzzed(t)
		w.secrets = []string{fuzzSecret}
		force := steps>>4&1 == 1
		s := w.readStep(w.call("begin", fmt.Sprintf(`{"accepts":["store"],"force":%v,"now":%d}`, force, fuzzNow)))
		for range steps & 15 {
			if s.Step == "done" {
				break
			}
			if s.Step == "request" {
				w.secrets = append(w.secrets, fuzzToken)
			}
			s = w.readStep(w.call("resume", fmt.Sprintf(`{"flow":%s,"now":%d%s}`, s.Flow, fuzzNow, result(&s, "", "", steps>>7 == 0))))
		}
		if s.Flow == nil {
			return
		}
		flow := string(s.Flow)
		begin := int(from) % (len(flow) + 1)
		end := begin + int(to)%(len(flow)-begin+1)
		changed := flow[:begin] + string(piece) + flow[end:]
		if strings.HasPrefix(string(piece), "{") { // a whole flow
			changed = withSecrets.Replace(string(piece))
		}
		w.readStep(w.call("resume", `{"flow":`+changed+withSecrets.Replace(string(given))+`}`))
		// The call that the flow was of can still be continued, or ends with an error.
		w.readStep(w.call("resume", fmt.Sprintf(`{"flow":%s,"now":%d%s}`, flow, fuzzNow, result(&s, "", "", true))))
		w.works()
	})
}

// FuzzStore has anything in the store, as the token and as the lock.
func FuzzStore(f *testing.F) {
	stored := func(expires int64) string {
		return fmt.Sprintf(`{"access_token":"@P","token_type":"Bearer","expires_at":%d,"cache_key":"@K"}`, expires)
	}
	for _, value := range []string{``, `{}`, `null`, stored(fuzzNow + 3600), stored(fuzzNow - 1), stored(1 << 40),
		`{"access_token":"@P\r\nX: y","token_type":"Bearer","expires_at":1800003600,"cache_key":"@K"}`, strings.Repeat("[", 1000)} {
		for _, lock := range []string{``, `{"state":"requesting"}`, `{"state":"done"}`, `x`, `{"state":"failed","code":"token_endpoint_rejected","status":401,"until":1800000060,"wait":60,"failures":3}`,
			`{"state":"failed","code":"@P","status":-1,"until":1e99,"wait":-5,"failures":0}`} {
			f.Add(uint8(1), []byte(value), []byte(lock))
			f.Add(uint8(2), []byte(value), []byte(lock))
		}
	}
	f.Fuzz(func(t *testing.T, how uint8, value, lock []byte) {
		if len(value)+len(lock) > longestInput {
			return
		}
		w := newFuzzed(t)
		now, text, held := int64(fuzzNow), withSecrets.Replace(string(value)), withSecrets.Replace(string(lock))
		input := ""
		if how%2 == 0 && how&4 != 0 {
			input = `,"force":true`
		}
		s := w.readStep(w.call("begin", fmt.Sprintf(`{"accepts":["store"],"now":%d%s}`, now, input)))
		asked, steps := 0, 0
		for ; s.Step != "" && s.Step != "done"; steps++ {
			if s.Step == "request" {
				asked++
			}
			if asked > 1 || steps > 200 {
				t.Fatalf("%d steps, %d token requests: the flow does not end", steps, asked)
			}
			now += int64(s.Seconds)
			s = w.readStep(w.call("resume", fmt.Sprintf(`{"flow":%s,"now":%d%s}`, s.Flow, now, result(&s, text, held, how&2 != 0))))
		}
		w.works()
	})
}
