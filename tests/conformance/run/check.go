package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"automatic-rostering/tests/conformance/canary"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
)

// learn keeps the tokens that a call gets to know.
func (c *course) learn(call *scenario.Call) {
	exchanges := slices.Clone(call.Exchanges)
	if call.Step != nil {
		exchanges = append(exchanges, *call.Step)
	}
	for _, e := range exchanges {
		switch {
		case e.Token != nil:
			c.secrets = append(c.secrets, accessToken(e.Token.Response.Bytes()))
		case e.Store != nil:
			token, _ := json.Marshal(e.Store.Token)
			c.secrets = append(c.secrets, accessToken(token))
		}
	}
	var input struct {
		AccessToken string `json:"access_token"`
		Refused     string
		Tokens      []string
	}
	text, _ := json.Marshal(call.Input)
	_ = json.Unmarshal(text, &input) // what is no token is no secret
	c.secrets = append(append(c.secrets, input.AccessToken, input.Refused), input.Tokens...)
}

func accessToken(object []byte) string {
	var token struct {
		AccessToken string `json:"access_token"`
	}
	_ = json.Unmarshal(object, &token)
	return token.AccessToken
}

// check compares what a call shows with what is expected.
func (c *course) check(call *scenario.Call, a protocol.Response) error {
	return errors.Join(c.outcome(call, a), c.also(call, a))
}

// also checks what every call shows beside its outcome: its log, and no secret. Only the output of
// get_token, and of flows, may hold a token.
func (c *course) also(call *scenario.Call, a protocol.Response) error {
	shown := a.Error + a.Trap + a.Text + a.Shown + a.Misuse
	if call.Call == "explain" {
		shown += string(a.Output)
	}
	var lines []string
	for _, l := range a.Logs {
		lines = append(lines, strings.TrimRight(l.Level+" "+l.Line, " "))
	}
	shown += strings.Join(lines, "\n")
	switch secret := c.secrets[0]; {
	case c.shows(shown):
		return errors.New("an error or a log line shows a secret")
	case secret != "" && call.Token != nil && bytes.Contains(a.Output, []byte(secret)):
		return errors.New("the output shows the client secret")
	case call.Logs != nil && a.Logs != nil && !slices.EqualFunc(lines, *call.Logs, strings.HasPrefix):
		return fmt.Errorf("the log is %q, not %q", lines, *call.Logs)
	}
	return nil
}

// shows reports whether a text holds a secret, in any of its usual forms.
func (c *course) shows(text string) bool {
	return slices.ContainsFunc(c.secrets, func(secret string) bool { return canary.Shows(text, secret) })
}

func (c *course) outcome(call *scenario.Call, a protocol.Response) error {
	switch {
	case a.Misuse != "" || a.Canceled:
		return errors.New("it was misused, broken or canceled: " + a.Misuse)
	case call.Lost && a.Trap != "" && !c.Flows && !c.Library:
		return nil
	case a.Trap != "":
		return errors.New("it trapped: " + a.Trap)
	case call.Lost:
		if !strings.Contains(a.Error, `"network_error"`) {
			return fmt.Errorf("neither a trap nor network_error, but %.200q %.200q", a.Error, a.Output)
		}
		return nil
	case call.Error != nil && call.Call == "explain" && !bytes.Contains(call.Error, []byte(`"invalid_input"`)):
		return sameError(call, a.Output) // all other errors are its output
	case call.Error != nil:
		return sameError(call, []byte(a.Error))
	case a.Error != "":
		return errors.New("it failed: " + a.Error)
	case call.Token != nil && call.IsFlow():
		return done(call, a.Output)
	case call.Token != nil:
		return sameToken(call.Token, a.Output)
	case call.JSON != nil:
		return sameJSON("output", a.Output, call.JSON)
	case call.Empty && len(a.Output) > 0:
		return fmt.Errorf("the output is %.200q, not empty", a.Output)
	case call.Empty:
		return nil
	case len(call.Exchanges) == 0 || call.Exchanges[len(call.Exchanges)-1].Jobs == nil:
		return errors.New("there is no response that the output could be")
	}
	reply := call.Exchanges[len(call.Exchanges)-1].Jobs.Response
	if want := reply.Bytes(); !bytes.Equal(a.Output, want) {
		return fmt.Errorf("the output is %.200q, not the body %.200q", a.Output, want)
	}
	if want := cmp.Or(reply.Status, 200); c.Library && a.Status != want {
		return fmt.Errorf("the status is %d, not %d", a.Status, want)
	}
	return nil
}

func sameJSON(what string, text, want []byte) error {
	var got, wanted any
	if err := json.Unmarshal(want, &wanted); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, wanted) {
		return fmt.Errorf("the %s is %.1000q, not %.1000s", what, text, want)
	}
	return nil
}

// sameError compares an error in all its fields but message, whose wording is free.
func sameError(call *scenario.Call, failure []byte) error {
	var got map[string]any
	if err := json.Unmarshal(failure, &got); err != nil {
		return fmt.Errorf("the error is not a JSON object: %.200q", failure)
	}
	message, _ := got["message"].(string)
	if message == "" || !strings.Contains(message, call.Message) {
		return fmt.Errorf("the message is %q, without %q", message, call.Message)
	}
	delete(got, "message")
	rest, err := json.Marshal(got)
	return errors.Join(err, sameJSON("error", rest, call.Error))
}

// done checks the last step of a flow.
func done(call *scenario.Call, output []byte) error {
	var s step
	if err := json.Unmarshal(output, &s); err != nil || s.Step != "done" || s.Until == nil {
		return fmt.Errorf("the step is %.300q, not done with a token", output)
	}
	if call.Until != nil && *s.Until != *call.Until {
		return fmt.Errorf("until is %d, not %d", *s.Until, *call.Until)
	}
	return sameToken(call.Token, s.Token)
}

func sameToken(want *scenario.Token, output []byte) error {
	var got struct {
		CacheKey string `json:"cache_key"`
	}
	_ = json.Unmarshal(output, &got)
	token, err := json.Marshal(map[string]any{
		"access_token": want.AccessToken, "token_type": "Bearer", "expires_at": want.ExpiresAt, "cache_key": cmp.Or(want.CacheKey, got.CacheKey),
	})
	return errors.Join(err, sameJSON("token object", output, token))
}
