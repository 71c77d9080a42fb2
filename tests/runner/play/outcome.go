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

	"automatic-rostering.example/rostering/tests/runner/canary"
	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

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
	ran := a.PluginCalls - c.called
	c.called = a.PluginCalls
	switch secret := c.secrets[0]; {
	case s.Ran != nil && ran != *s.Ran:
		return fmt.Errorf("the client has called the plugin %d times", ran)
	case len(a.Error) > longest:
		return fmt.Errorf("the error has %d bytes", len(a.Error))
	case c.shows(text):
		return errors.New("an error or a log line shows a secret")
	case secret != "" && s.Token != nil && bytes.Contains(a.Output, []byte(secret)):
		return errors.New("the output shows the client secret")
	case s.Log != nil && s.Log.Lines != nil && !c.Library && !inFlows && !slices.EqualFunc(lines, s.Log.Lines, strings.HasPrefix):
		return fmt.Errorf("the log is %q, not %q", lines, s.Log.Lines)
	}
	return nil
}

// longest is how many bytes an error has at most, with its body and headers.
const longest = 100_000

// shows reports whether a text has a secret, in any of its usual forms.
func (c *course) shows(text string) bool {
	return slices.ContainsFunc(c.secrets, func(secret string) bool { return canary.Shows(text, secret) })
}

func (c *course) outcome(s *rule.Step, a protocol.Response) error {
	if s.Do == "explain" && s.Error != nil && s.Error.Code() != "invalid_input" {
		a.Error, a.Output = string(a.Output), nil // all other errors are its output
	}
	e := c.failure(s, a)
	code, _ := e["code"].(string)
	switch {
	case s.Error != nil:
		return c.sameError(s, a, e)
	case s.Fails != nil:
		message, _ := e["message"].(string)
		if c.Library && len(s.Fails) > 0 && hostWords.MatchString(message) {
			return fmt.Errorf("the message speaks of the plugin's host: %q", message)
		}
		if err := errors.Join(want(e != nil, a), hasFields(e, s.Fails), c.says(s, a, e)); err != nil {
			return fmt.Errorf("%w: %s", err, describe(a))
		}
		return sameReply(s, a)
	case e != nil:
		return want(slices.Contains(s.Ends, code), a)
	}
	return c.result(s, a)
}

// failure is the error of a call that failed. If that is neither the plugin's nor the library's, it has a code for what it is.
func (c *course) failure(s *rule.Step, a protocol.Response) map[string]any {
	e := map[string]any{}
	wrong := json.Unmarshal([]byte(a.Error), &e)
	if s.Fails["cause"] != nil {
		e["cause"] = a.Cause != ""
	}
	switch misused := e["code"] == "invalid_input" || e["code"] == "config_invalid"; {
	case !failed(a) && s.Ends != nil && a.Status >= 400:
		e["code"] = "status"
	case !failed(a):
		return nil
	case c.Library && canceled.MatchString(a.Text):
		e["code"] = "canceled"
	case c.Library && closed.MatchString(a.Text):
		e["code"] = "closed"
	case s.Fails.Code() == "misuse" && (misuse.MatchString(a.Text) || misused && e["retryable"] == false):
		e["code"] = "misuse"
	case a.Error == "" && !c.Library && !c.Flows: // most raw hosts trap if a request gets no response
		e["code"] = "network_error"
	case wrong != nil:
		e["code"] = "trap"
	}
	return e
}

// What the languages print for a wrong argument, a closed client, and a call that was canceled.
var (
	misuse   = regexp.MustCompile(`^(TypeError|ValueError|RangeError|java\.lang\.IllegalArgumentException|core::\S+::TryFrom\w+Error):`)
	closed   = regexp.MustCompile(`^(rostering|RuntimeError|AbortError|java\.lang\.IllegalStateException|closed): the client is closed`)
	canceled = regexp.MustCompile(`^(canceled|CancelledError|java\.\S*(Cancellation|Interrupted)Exception)\b|\bcontext canceled$`)
)

// says wants an error to have a message, and its text to have these parts.
func (c *course) says(s *rule.Step, a protocol.Response, e map[string]any) error {
	text, _ := e["message"].(string)
	if a.Error != "" && text == "" {
		return errors.New("the error has no message")
	}
	if c.Library {
		text = a.Text
	}
	for _, part := range s.Text {
		if !strings.Contains(text, part) {
			return fmt.Errorf("%q is not in %q", part, text)
		}
	}
	return nil
}

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
	output := slices.Concat([]byte(a.Output), a.Body) // it has one of them
	if a.JSON != nil {
		output, _ = json.Marshal(a.JSON)
	}
	if s.Token != nil && s.IsFlow() {
		var last world.Step
		err := json.Unmarshal(output, &last)
		if err != nil || last.Step != "done" || last.Until == nil || s.Until != nil && *last.Until != *s.Until {
			return fmt.Errorf("the step is %.300q, not done with a token until then", output)
		}
		output = []byte(last.Token)
	}
	wanted := s.Got
	if s.Token != nil {
		wanted = s.Token
	}
	switch {
	case wanted != nil:
		var got map[string]any
		if err := json.Unmarshal(output, &got); err != nil {
			return fmt.Errorf("it is %.300q, not a JSON object", output)
		}
		return hasFields(got, wanted)
	case c.one.Scripted() && s.Body == nil:
		last := len(s.Exchanges) - 1
		if last < 0 || s.Exchanges[last].Jobs == nil {
			return errors.New("there is no response that the output could be")
		}
		reply := s.Exchanges[last].Jobs.Response
		return want(bytes.Equal(output, reply.Text()) && (!c.Library || a.Status == cmp.Or(reply.Status, 200)), a)
	}
	a.Body = output
	return sameReply(s, a)
}

// sameReply compares status, body and headers of a result or an error, as far as they matter.
func sameReply(s *rule.Step, a protocol.Response) error {
	err := want(s.Status == 0 || a.Status == s.Status, a)
	if text := s.Content.Text(); s.Body != nil && s.Body[0] == '"' {
		err = errors.Join(err, want(bytes.Equal(a.Body, text), a))
	} else if s.Body != nil {
		err = errors.Join(err, sameJSON("body", a.Body, text))
	}
	return errors.Join(err, sameHeaders(a.Headers, s.Headers))
}

// sameHeaders compares headers. Nil wants the header to be missing; "…" at the end matches anything.
func sameHeaders(got map[string]string, want map[string]*string) error {
	for name, value := range want {
		got, there := got[strings.ToLower(name)]
		if value == nil {
			value = new("")
		}
		begin, open := strings.CutSuffix(*value, "…")
		if got != *value && !(there && open && strings.HasPrefix(got, begin)) {
			return fmt.Errorf("the header %s is %q, not %q", name, got, *value)
		}
	}
	return nil
}

// hostWords are what a library's user cannot set or call.
var hostWords = regexp.MustCompile(`\b(vars?|max_var_bytes|some hosts|pass now|begin again|get_token|set_token|send_request)\b`)

// hasFields wants an object to have some fields, and not those that are null; of an error in it, only the code counts.
func hasFields(got map[string]any, want map[string]json.RawMessage) error {
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

// sameError compares an error in all its fields but message, whose wording is free, and those of detailed that the case does not
// name; of problems, the keys. Of a library, it does not compare the headers of the response, which its server has added to.
func (c *course) sameError(s *rule.Step, a protocol.Response, e map[string]any) error {
	if err := c.says(s, a, e); err != nil {
		return err
	}
	delete(e, "message")
	for _, field := range detailed {
		if s.Error[field] == nil {
			delete(e, field)
		}
	}
	if problems, ok := e["problems"].([]any); ok {
		for i, problem := range problems {
			problems[i] = problem.(map[string]any)["key"]
		}
	}
	if c.Library {
		delete(e, "headers")
	}
	rest, err := json.Marshal(e)
	return errors.Join(err, sameJSON("error", rest, s.Error.JSON()))
}

// detailed are fields that say more of an error than most cases are about.
var detailed = []string{"problems", "request", "reason"}
