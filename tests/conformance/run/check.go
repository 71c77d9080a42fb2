package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"automatic-rostering/tests/conformance/canary"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
)

// check compares the outcomes of a scenario's calls with the expected ones.
type check struct {
	flows   bool     // direct calls are made by flows
	client  bool     // by a library that gives the status
	secrets []string // all that must not be shown, so far
}

// learn keeps the tokens that a call gets to know.
func (c *check) learn(call *scenario.Call) {
	exchanges := call.Exchanges
	if call.Step != nil {
		exchanges = append(slices.Clone(exchanges), *call.Step)
	}
	for _, e := range exchanges {
		switch {
		case e.Token != nil:
			reply := e.Token.Reply()
			c.learnToken(reply.Bytes())
		case e.Store != nil:
			b, _ := json.Marshal(e.Store.Token)
			c.learnToken(b)
		}
	}
	for _, field := range []string{"access_token", "refused"} {
		var token string
		if json.Unmarshal(call.Input[field], &token) == nil {
			c.secrets = append(c.secrets, token)
		}
	}
	var tokens []string
	if json.Unmarshal(call.Input["tokens"], &tokens) == nil {
		c.secrets = append(c.secrets, tokens...)
	}
}

// learnToken keeps the token of a response or of a token object.
func (c *check) learnToken(object []byte) {
	var token struct {
		AccessToken string `json:"access_token"`
	}
	if json.Unmarshal(object, &token) == nil {
		c.secrets = append(c.secrets, token.AccessToken)
	}
}

func (c *check) call(call *scenario.Call, a protocol.Response) (wrong []string) {
	return append(c.outcome(call, a), c.also(call, a)...)
}

// also checks what every call shows beside its outcome.
func (c *check) also(call *scenario.Call, a protocol.Response) (wrong []string) {
	if call.Logs != nil && a.Logs != nil {
		wrong = c.logs(*call.Logs, a.Logs)
	}
	return append(wrong, c.leaks(call, a)...)
}

func (c *check) outcome(call *scenario.Call, a protocol.Response) []string {
	switch {
	case call.Lost && !c.flows && a.Trap != "":
		return nil
	case a.Trap != "":
		return []string{"it trapped: " + a.Trap}
	case a.Misuse != "":
		return []string{"it was misused: " + a.Misuse}
	case a.Canceled:
		return []string{"it was canceled"}
	case call.Lost:
		return lost(a)
	case call.Error != nil && call.Call == "explain" && a.Error == "":
		return c.error(call, string(a.Output))
	case call.Error != nil && call.Call == "explain":
		return append(c.error(call, a.Error), invalid(a.Error)...)
	case call.Error != nil:
		return c.error(call, a.Error)
	case a.Error != "":
		return []string{"it failed: " + a.Error}
	case call.Token != nil && (call.Partial() || call.Call == "flow"):
		return c.done(call, a.Output)
	case call.Token != nil:
		return c.token(call.Token, a.Output)
	case call.JSON != nil:
		return sameJSON(a.Output, call.JSON)
	case call.Empty:
		if len(a.Output) > 0 {
			return []string{fmt.Sprintf("the output is %.200q, not empty", a.Output)}
		}
		return nil
	}
	last := call.Exchanges[len(call.Exchanges)-1]
	if last.Jobs == nil {
		return []string{"the last exchange of the script is not jobs"}
	}
	reply := last.Jobs.Reply()
	if want := reply.Bytes(); !bytes.Equal(a.Output, want) {
		return []string{fmt.Sprintf("the output is %.200q, not the body %.200q", a.Output, want)}
	}
	if want := cmp.Or(reply.Status, 200); c.client && a.Status != want {
		return []string{fmt.Sprintf("the status is %d, not %d", a.Status, want)}
	}
	return nil
}

func sameJSON(output, want []byte) []string {
	var got, wanted any
	if err := json.Unmarshal(want, &wanted); err != nil {
		return []string{err.Error()}
	}
	if err := json.Unmarshal(output, &got); err != nil || !reflect.DeepEqual(got, wanted) {
		return []string{fmt.Sprintf("the output is %.300q, not %s", output, want)}
	}
	return nil
}

func lost(a protocol.Response) []string {
	var e struct {
		Code string `json:"code"`
	}
	if json.Unmarshal([]byte(a.Error), &e) != nil || e.Code != "network_error" {
		return []string{fmt.Sprintf("neither a trap nor network_error, but %.200q %.200q", a.Error, a.Output)}
	}
	return nil
}

// error compares an error in all its fields but message, whose wording is free.
func (c *check) error(call *scenario.Call, failure string) (wrong []string) {
	var got, want map[string]any
	if err := json.Unmarshal([]byte(failure), &got); err != nil {
		return []string{fmt.Sprintf("the error is not a JSON object: %.200q", failure)}
	}
	if err := json.Unmarshal(call.Error, &want); err != nil {
		return []string{err.Error()}
	}
	message, _ := got["message"].(string)
	if message == "" || !strings.Contains(message, call.Message) {
		wrong = append(wrong, fmt.Sprintf("the message is %q, without %q", message, call.Message))
	}
	delete(got, "message")
	if !reflect.DeepEqual(got, want) {
		wrong = append(wrong, fmt.Sprintf("the error is %s, not %s", short(got), short(want)))
	}
	return wrong
}

// short writes a value with the begin and the end of what is long.
func short(value any) string {
	text := fmt.Sprint(value)
	if len(text) > 1000 {
		text = text[:500] + "…" + text[len(text)-500:]
	}
	return text
}

// invalid is what is wrong with an error with which explain ends: those that it makes are its output.
func invalid(failure string) []string {
	if strings.Contains(failure, `"invalid_input"`) {
		return nil
	}
	return []string{"explain ended with an error that is its output"}
}

// done checks the last step of a flow.
func (c *check) done(call *scenario.Call, output []byte) (wrong []string) {
	var s step
	if err := json.Unmarshal(output, &s); err != nil || s.Step != "done" || s.Until == nil {
		return []string{fmt.Sprintf("the step is %.300q, not done with a token", output)}
	}
	if call.Until != nil && *s.Until != *call.Until {
		wrong = append(wrong, fmt.Sprintf("until is %d, not %d", *s.Until, *call.Until))
	}
	return append(wrong, c.token(call.Token, s.Token)...)
}

func (c *check) token(want *scenario.Token, output []byte) (wrong []string) {
	var got map[string]any
	decoder := json.NewDecoder(bytes.NewReader(output))
	decoder.UseNumber()
	if err := decoder.Decode(&got); err != nil {
		return []string{fmt.Sprintf("the output is not a token object: %.200q", output)}
	}
	compare := func(field string, want any) {
		if got[field] != want {
			wrong = append(wrong, fmt.Sprintf("%s is %v, not %v", field, got[field], want))
		}
	}
	compare("access_token", want.AccessToken)
	compare("token_type", "Bearer")
	compare("expires_at", want.ExpiresAt)
	if want.CacheKey != "" {
		compare("cache_key", want.CacheKey)
	}
	if len(got) != 4 {
		wrong = append(wrong, fmt.Sprintf("the token object has other fields: %v", got))
	}
	return wrong
}

func (c *check) logs(want []string, logs []protocol.Log) []string {
	var got []string
	for _, l := range logs {
		got = append(got, strings.TrimRight(l.Level+" "+l.Line, " "))
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		return []string{fmt.Sprintf("the log is %q, not %q", got, want)}
	}
	return nil
}

// leaks finds secrets where none may be: only get_token's output may hold a token.
func (c *check) leaks(call *scenario.Call, a protocol.Response) (wrong []string) {
	shown := a.Error + a.Trap + a.Text + a.Shown + a.Misuse
	if call.Call == "explain" {
		shown += string(a.Output)
	}
	for _, l := range a.Logs {
		shown += "\n" + l.Line
	}
	if c.shows(shown) {
		wrong = append(wrong, "an error or a log line shows a secret")
	}
	if secret := c.secrets[0]; secret != "" && call.Token != nil && bytes.Contains(a.Output, []byte(secret)) {
		wrong = append(wrong, "the output shows the client secret")
	}
	return wrong
}

// shows reports whether a text holds a secret, in any of its usual forms.
func (c *check) shows(text string) bool {
	return slices.ContainsFunc(c.secrets, func(secret string) bool { return canary.Shows(text, secret) })
}
