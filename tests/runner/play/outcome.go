package play

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"automatic-rostering/tests/runner/canary"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
	"automatic-rostering/tests/runner/world"
)

// learn keeps the tokens that a call gets to know.
func (c *course) learn(s *rule.Step) {
	for _, e := range s.Exchanges {
		switch {
		case e.Kind == "token":
			c.secrets = append(c.secrets, world.AccessToken(e.HTTP.Response.Bytes()))
		case e.Store != nil:
			token, _ := json.Marshal(e.Store.Token)
			c.secrets = append(c.secrets, world.AccessToken(token))
		}
	}
	var input struct {
		AccessToken string `json:"access_token"`
		Refused     string
		Secret      string
		Tokens      []string
	}
	text, _ := json.Marshal(s.Input)
	_ = json.Unmarshal(text, &input) // other values contain no secrets
	c.secrets = append(append(c.secrets, input.AccessToken, input.Refused, input.Secret), input.Tokens...)
}

// judge compares what a call shows with what is expected.
func (c *course) judge(s *rule.Step, a protocol.Response) error {
	return errors.Join(c.outcome(s, a), c.also(s, a))
}

// shown is all that a response shows of an error.
func shown(a protocol.Response) string {
	parts := []string{a.Error, a.Text, a.Shown, a.Cause}
	if a.Error != "" { // the headers of a result are as the service sent them
		headers, _ := json.Marshal(a.Headers)
		parts = append(parts, string(headers))
	}
	return strings.Join(parts, "\n")
}

// also checks what every call shows in addition to its outcome: its log, and no secret. Only the output of get_token, and of
// flows, may have a token.
func (c *course) also(s *rule.Step, a protocol.Response) error {
	text := shown(a)
	if s.Do == "explain" {
		text += string(a.Output)
	}
	var lines []string
	for _, l := range a.Logs {
		lines = append(lines, strings.TrimRight(l.Level+" "+l.Line, " "))
	}
	text += strings.Join(lines, "\n")
	inFlows := c.Flows && slices.Contains(rule.Direct, s.Do) // whose lines differ from those of the export
	switch secret := c.secrets[0]; {
	case c.shows(text):
		return errors.New("an error or a log line shows a secret")
	case secret != "" && s.Token != nil && bytes.Contains(a.Output, []byte(secret)):
		return errors.New("the output shows the client secret")
	case s.Logs != nil && !c.Library && !inFlows && !slices.EqualFunc(lines, *s.Logs, strings.HasPrefix):
		return fmt.Errorf("the log is %q, not %q", lines, *s.Logs)
	}
	return nil
}

// shows reports whether a text has a secret, in any of its usual forms.
func (c *course) shows(text string) bool {
	return slices.ContainsFunc(c.secrets, func(secret string) bool { return canary.Shows(text, secret) })
}

func (c *course) outcome(s *rule.Step, a protocol.Response) error {
	if s.Do == "explain" && s.Error != nil && s.Error.Code() != "invalid_input" {
		a.Error, a.Output = string(a.Output), nil // all other errors are its output
	}
	var e struct {
		Code, Message string
		Retryable     bool
	}
	isError := json.Unmarshal([]byte(a.Error), &e) == nil && e.Message != ""
	switch {
	case s.Lost:
		return want(e.Code == "network_error" || a.Text != "" && !c.Flows && !c.Library, a)
	case s.Canceled, s.Closed:
		return want((canceled.MatchString(a.Text) || !s.Canceled) && (closed.MatchString(a.Text) || !s.Closed), a)
	case s.Fails != nil && len(s.Fails) == 0:
		return errors.Join(want(failed(a), a), hasParts(s.Text, a.Error+a.Text))
	case s.Ends != nil && (failed(a) || a.Status >= 400): // a short error of the contract, or what else may come
		switch {
		case canceled.MatchString(a.Text):
			e.Code = "canceled"
		case closed.MatchString(a.Text):
			e.Code = "closed"
		case !failed(a):
			e.Code = "status"
		case a.Error == "":
			e.Code = "trap"
		}
		return want(len(a.Error) < 100_000 && slices.Contains(s.Ends, e.Code), a)
	case s.Misuse: // the language's own error, or the library's in a language without one
		invalid := isError && (e.Code == "invalid_input" || e.Code == "config_invalid") && !e.Retryable
		return errors.Join(want(misuse.MatchString(a.Text) || invalid, a), hasParts(s.Text, a.Text))
	case s.Error != nil:
		return c.sameError(s, []byte(a.Error))
	case s.Fails != nil:
		if err := hasFields([]byte(a.Error), s.Fails); err != nil {
			return fmt.Errorf("%w: %s", err, describe(a))
		}
		if hostWords.MatchString(e.Message) {
			return fmt.Errorf("the message speaks of the plugin's host: %q", e.Message)
		}
		says := isError && strings.Contains(e.Message, s.Message) && (!s.Cause || a.Cause != "")
		return errors.Join(want(says, a), hasParts(s.Text, a.Text), sameResponse(s, a))
	case failed(a):
		return want(false, a)
	}
	return c.result(s, a)
}

// What the languages print for a wrong argument, a closed client, and a call that was canceled.
var (
	misuse   = regexp.MustCompile(`^(TypeError|ValueError|RangeError|java\.lang\.IllegalArgumentException|core::\S+::TryFrom\w+Error):`)
	closed   = regexp.MustCompile(`^(rostering|RuntimeError|AbortError|java\.lang\.IllegalStateException|closed): the client is closed`)
	canceled = regexp.MustCompile(`^(canceled|CancelledError|java\.\S*(Cancellation|Interrupted)Exception)\b|\bcontext canceled$`)
)

// want returns how a call ended, unless that is as wanted.
func want(is bool, a protocol.Response) error {
	if is {
		return nil
	}
	return errors.New(describe(a))
}

func describe(a protocol.Response) string {
	a.Shown, a.Logs = "", nil
	a.Body, a.Output = a.Body[:min(len(a.Body), 300)], a.Output[:min(len(a.Output), 300)]
	b, _ := json.Marshal(a)
	return fmt.Sprintf("it ended with %.2000s (%.300q%.300q)", b, a.Body, a.Output)
}

// result checks the result of a call that succeeded.
func (c *course) result(s *rule.Step, a protocol.Response) error {
	output := slices.Concat([]byte(a.Output), []byte(a.Body), bytes.TrimPrefix(a.JSON, []byte("null"))) // it has one of them
	switch {
	case s.Token != nil && s.IsFlow():
		return done(s, output)
	case s.Token != nil:
		return sameToken(s.Token, output)
	case s.JSON != nil:
		return sameJSON("output", output, s.JSON)
	case s.Got != nil:
		return hasFields(output, s.Got)
	case s.Fresh:
		return hasFields(output, map[string]json.RawMessage{"token": fmt.Appendf(nil, "%q", c.Latest())})
	case s.Empty && len(output) > 0:
		return fmt.Errorf("the output is %.200q, not empty", output)
	case s.Empty:
		return nil
	case c.scripted:
		return c.isLastBody(s, a, output)
	}
	return sameResponse(s, a)
}

// isLastBody wants the output to be the body of the last response.
func (c *course) isLastBody(s *rule.Step, a protocol.Response, output []byte) error {
	if len(s.Exchanges) == 0 || s.Exchanges[len(s.Exchanges)-1].Kind != "jobs" {
		return errors.New("there is no response that the output could be")
	}
	reply := s.Exchanges[len(s.Exchanges)-1].HTTP.Response
	if want := reply.Bytes(); !bytes.Equal(output, want) {
		return fmt.Errorf("the output is %.200q, not the body %.200q", output, want)
	}
	if want := cmp.Or(reply.Status, 200); c.Library && a.Status != want {
		return fmt.Errorf("the status is %d, not %d", a.Status, want)
	}
	return nil
}

// sameResponse compares status, body and headers of a result or an error, as far as they matter.
func sameResponse(s *rule.Step, a protocol.Response) error {
	err := want((s.Status == 0 || a.Status == s.Status) && (s.Body == nil || string(a.Body) == *s.Body), a)
	if s.Open != "" { // whose headers are an option
		return err
	}
	return errors.Join(err, sameHeaders(a.Headers, s.Headers))
}

// sameHeaders compares headers. "" wants the header to be missing; "…" at the end matches anything.
func sameHeaders(got, want map[string]string) error {
	for name, value := range want {
		begin, open := strings.CutSuffix(value, "…")
		if got := got[strings.ToLower(name)]; got != value && !(open && strings.HasPrefix(got, begin)) {
			return fmt.Errorf("the header %s is %q, not %q", name, got, value)
		}
	}
	return nil
}

func hasParts(want []string, text string) error {
	for _, part := range want {
		if !strings.Contains(text, part) {
			return fmt.Errorf("%q is not in %q", part, text)
		}
	}
	return nil
}

// hostWords are what a library's user cannot set or call.
var hostWords = regexp.MustCompile(`\b(vars?|max_var_bytes|some hosts|pass now|begin again|get_token|set_token|send_request)\b`)

// hasFields wants a JSON object to have some fields, and not those that are null; of an error in it, only the code counts.
func hasFields(object []byte, want map[string]json.RawMessage) error {
	var got map[string]any
	if err := json.Unmarshal(object, &got); err != nil {
		return fmt.Errorf("it is %.300q, not a JSON object", object)
	}
	for field, value := range want {
		var wanted any
		if failure, ok := got[field].(map[string]any); ok && field == "error" {
			got[field] = map[string]any{"code": failure["code"]}
		}
		if err := json.Unmarshal(value, &wanted); err != nil || !reflect.DeepEqual(got[field], wanted) {
			return fmt.Errorf("%s is %.300v, not %.300v", field, got[field], wanted)
		}
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

// sameError compares an error in all its fields but message, whose wording is free, and of a library, the headers of the
// response, which its server has added to.
func (c *course) sameError(s *rule.Step, failure []byte) error {
	var got map[string]any
	if err := json.Unmarshal(failure, &got); err != nil {
		return fmt.Errorf("the error is not a JSON object: %.200q", failure)
	}
	message, _ := got["message"].(string)
	if message == "" || !strings.Contains(message, s.Message) {
		return fmt.Errorf("the message is %q, without %q", message, s.Message)
	}
	delete(got, "message")
	if c.Library {
		delete(got, "headers")
	}
	rest, err := json.Marshal(got)
	return errors.Join(err, sameJSON("error", rest, s.Error.JSON()))
}

// done checks the last step of a flow.
func done(s *rule.Step, output []byte) error {
	var last world.Step
	if err := json.Unmarshal(output, &last); err != nil || last.Step != "done" || last.Until == nil {
		return fmt.Errorf("the step is %.300q, not done with a token", output)
	}
	if s.Until != nil && *last.Until != *s.Until {
		return fmt.Errorf("until is %d, not %d", *last.Until, *s.Until)
	}
	return sameToken(s.Token, last.Token)
}

func sameToken(want *rule.Token, output []byte) error {
	var got struct {
		ExpiresAt json.Number `json:"expires_at"`
		CacheKey  string      `json:"cache_key"`
	}
	_ = json.Unmarshal(output, &got)
	token, err := json.Marshal(map[string]any{
		"access_token": want.AccessToken, "token_type": "Bearer", "expires_at": cmp.Or(want.ExpiresAt, got.ExpiresAt),
		"cache_key": cmp.Or(want.CacheKey, got.CacheKey),
	})
	return errors.Join(err, sameJSON("token object", output, token))
}
