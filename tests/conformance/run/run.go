// Package run runs a scenario on a host and tells what is wrong.
package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
	"automatic-rostering/tests/conformance/script"
)

// Host is a host under test.
type Host struct {
	Process *protocol.Process
	// Wasm is the build that it loads, and WASI whether that imports WASI.
	Wasm string
	WASI bool
	// Steps says that calls are made by begin and resume, with the plugin's own HTTP
	// switched off; Drives, that the adapter has a driver for that.
	Steps, Drives bool
	// Observe is told of each call of an export, to hold it against more than the
	// scenario; it may be nil.
	Observe func(export string, input []byte, answer protocol.Answer)
}

// Versions names what runs, with its versions.
func (h *Host) Versions() (string, error) {
	a, err := h.Process.Do(protocol.Request{Op: "versions"})
	if err == nil && a.Versions == "" {
		err = fmt.Errorf("the host does not tell its versions, but %+v", a)
	}
	return a.Versions, err
}

// Scenario runs a scenario on h, on an instance of its own. The error joins
// everything that is not as it must be.
func Scenario(h *Host, s *scenario.Scenario) error {
	if h.Steps {
		inSteps, err := s.ForSteps()
		if err != nil {
			return err
		}
		s = &inSteps
	}
	servers, err := script.Start()
	if err != nil {
		return err
	}
	defer servers.Close()
	filled, err := s.With(servers.Addresses)
	if err != nil {
		return err
	}
	const instance = "scenario"
	config := filled.FullConfig(servers.Addresses)
	create := protocol.Request{Op: "create", Instance: instance, Wasm: h.Wasm, WASI: h.WASI, Config: config}
	if !h.Steps {
		create.AllowedHosts = []string{"127.0.0.1"}
	}
	made, err := h.Process.Do(create)
	if err != nil {
		return err
	}
	if made.Trap != "" {
		return fmt.Errorf("no instance: %s", made.Trap)
	}
	defer h.Process.Do(protocol.Request{Op: "close", Instance: instance})

	c := check{steps: h.Steps, secrets: []string{config["client_secret"]}}
	for i := range filled.Calls {
		call := &filled.Calls[i]
		for range max(call.Times, 1) {
			servers.Expect(call.Exchanges)
			input := call.FullInput()
			answer, err := h.call(instance, call, input)
			if err != nil {
				return err
			}
			if wrong := append(servers.Check(), c.call(call, answer)...); len(wrong) > 0 {
				return fmt.Errorf("call %d, %s: %s", i+1, call.Call, strings.Join(wrong, "\n"))
			}
		}
	}
	return nil
}

// calls are the exports that make requests, and so can be made by begin and resume.
var calls = []string{"get_token", "list_jobs", "send_request"}

func (h *Host) call(instance string, call *scenario.Call, input []byte) (protocol.Answer, error) {
	// Raw input is refused mostly, and may not be JSON, to stand in that of begin.
	refused := call.RawInput != nil && len(call.Exchanges) == 0
	if !h.Steps || !slices.Contains(calls, call.Call) || refused {
		return h.export(instance, call.Call, input)
	}
	if h.Drives {
		return h.Process.Do(protocol.Request{Op: "drive", Instance: instance, Export: call.Call, Input: input})
	}
	return h.drive(instance, call.Call, input)
}

func (h *Host) export(instance, name string, input []byte) (protocol.Answer, error) {
	a, err := h.Process.Do(protocol.Request{Op: "call", Instance: instance, Export: name, Input: input})
	if h.Observe != nil && err == nil {
		h.Observe(name, input, a)
	}
	return a, err
}

// check holds what a scenario's calls gave against what they must give.
type check struct {
	steps   bool     // the calls are made by begin and resume
	secrets []string // all that must not be shown, so far
}

func (c *check) call(call *scenario.Call, a protocol.Answer) (wrong []string) {
	for _, e := range call.Exchanges {
		if e.Token != nil {
			c.secrets = append(c.secrets, accessToken(e.Token))
		}
	}
	wrong = c.outcome(call, a)
	if call.Logs != nil && a.Logs != nil {
		wrong = append(wrong, c.logs(*call.Logs, a.Logs)...)
	}
	return append(wrong, c.leaks(call, a)...)
}

func (c *check) outcome(call *scenario.Call, a protocol.Answer) []string {
	switch {
	case call.Lost && !c.steps && a.Trap != "":
		return nil
	case a.Trap != "":
		return []string{"it trapped: " + a.Trap}
	case call.Lost:
		return lost(a)
	case call.Error != nil:
		return c.error(call, a)
	case a.Error != "":
		return []string{"it failed: " + a.Error}
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
		return []string{"the last request of the script is no jobs request"}
	}
	reply := last.Jobs.Reply()
	if want := reply.Bytes(); !bytes.Equal(a.Output, want) {
		return []string{fmt.Sprintf("the output is %.200q, not the body %.200q", a.Output, want)}
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

func lost(a protocol.Answer) []string {
	var e struct {
		Code string `json:"code"`
	}
	if json.Unmarshal([]byte(a.Error), &e) != nil || e.Code != "network_error" {
		return []string{fmt.Sprintf("neither a trap nor network_error, but %.200q %.200q", a.Error, a.Output)}
	}
	return nil
}

// error compares an error in all its fields but message, whose wording is free.
func (c *check) error(call *scenario.Call, a protocol.Answer) (wrong []string) {
	var got, want map[string]any
	if err := json.Unmarshal([]byte(a.Error), &got); err != nil {
		return []string{fmt.Sprintf("the error is no JSON object: %.200q (output %.200q)", a.Error, a.Output)}
	}
	if err := json.Unmarshal(call.Error, &want); err != nil {
		return []string{err.Error()}
	}
	message, _ := got["message"].(string)
	if message == "" || !strings.Contains(message, call.Message) {
		wrong = append(wrong, fmt.Sprintf("the message is %q, without %q", message, call.Message))
	}
	delete(got, "message")
	if c.steps { // the body stays with the host
		delete(want, "body")
		delete(want, "body_truncated")
	}
	if !reflect.DeepEqual(got, want) {
		wrong = append(wrong, fmt.Sprintf("the error is %v, not %v", got, want))
	}
	return wrong
}

func (c *check) token(want *scenario.Token, output []byte) (wrong []string) {
	var got map[string]any
	decoder := json.NewDecoder(bytes.NewReader(output))
	decoder.UseNumber()
	if err := decoder.Decode(&got); err != nil {
		return []string{fmt.Sprintf("the output is no token object: %.200q", output)}
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
func (c *check) leaks(call *scenario.Call, a protocol.Answer) (wrong []string) {
	shown := a.Error + a.Trap
	for _, l := range a.Logs {
		shown += "\n" + l.Line
	}
	for _, secret := range c.secrets {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			if len(secret) > 3 && strings.Contains(shown, form) {
				wrong = append(wrong, "an error or a log line shows a secret")
			}
		}
	}
	if secret := c.secrets[0]; secret != "" && call.Token != nil && bytes.Contains(a.Output, []byte(secret)) {
		wrong = append(wrong, "the output shows the client secret")
	}
	return wrong
}

func accessToken(e *scenario.TokenExchange) string {
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	reply := e.Reply()
	if json.Unmarshal(reply.Bytes(), &answer) != nil {
		return ""
	}
	return answer.AccessToken
}
