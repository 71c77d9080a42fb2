package flow_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/model/memory"
)

const (
	noon = 1_800_000_000
	key  = "rostering:https%3A%2F%2Fauth.example%2Fconnect%2Ftoken:client:automatic-rostering-stage"
)

// A script is a list of what happens, each with what the plugin returns, in the words of play.
type script [][2]string

// Flows that wait for the result of a step.
var (
	cold    = script{{"begin", "request"}}
	warm    = after(cold, [2]string{"token A 3600", "done | A +3540"})
	looking = script{{"begin store", "get token"}, {"null", "add lock requesting 10"}}
	locked  = after(looking, [2]string{"added", "request"})
	busy    = after(looking, [2]string{"held", "get lock"}, [2]string{"lock requesting", "wait 0.050"}, [2]string{"ok", "get lock"})
)

func after(before script, more ...[2]string) script {
	return append(before[:len(before):len(before)], more...)
}

// plugin plays scripts on one instance.
type plugin struct {
	*memory.Host
	t     testing.TB
	flows map[string]json.RawMessage
	logs  []string
	key   string // of the last operation on the store
	text  string // that was returned last
	// repeat is what the token endpoint repeats in its errors.
	repeat string
}

func newInstance(t testing.TB) *plugin {
	i := &plugin{t: t, flows: map[string]json.RawMessage{}}
	i.Host = memory.New(map[string]string{"environment": "stage", "auth_url": "https://auth.example", "client_id": "client", "client_secret": "s3cret-of-client"})
	i.Clock = noon
	i.Logged = func(_ host.Level, line string) { i.logs = append(i.logs, line) }
	return i
}

func (i *plugin) play(s script) *plugin {
	i.t.Helper()
	for n, line := range s {
		if got := i.do(line[0]); got != line[1] {
			i.t.Fatalf("line %d, %q:\n got %s\nwant %s", n+1, line[0], got, line[1])
		}
	}
	return i
}

// do lets one thing happen: a number of seconds pass ("+5"), an export is called ("begin",
// "set A 3600", "clear"), or a step has its result. A name before a colon is that of the flow.
func (i *plugin) do(line string) string {
	i.t.Helper()
	name, rest, named := strings.Cut(line, ": ")
	if !named {
		name, rest = "", line
	}
	words := strings.Fields(rest)
	number := func(n int) int64 {
		parsed, err := strconv.ParseInt(words[n], 10, 64)
		if err != nil {
			i.t.Fatalf("%s: %v", line, err)
		}
		return parsed
	}
	result := ""
	switch words[0] {
	case "begin":
		return i.returned(name, flow.Begin(i, []byte(i.beginning(words[1:]))))
	case "set":
		return i.returned(name, flow.SetToken(i, []byte(object(words[1], i.Clock+number(2)))))
	case "clear":
		return i.returned(name, flow.ClearToken(i, nil))
	case "config":
		i.Settings[words[1]] = words[2]
		return ""
	case "token":
		body := fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":%d}`, words[1], number(2))
		result = fmt.Sprintf(`,"status":200,"body":%q`, body)
	case "status":
		result = `,"status":` + words[1]
		if len(words) > 2 {
			result += `,"headers":{"Retry-After":"` + words[2] + `"}`
		}
		if i.repeat != "" {
			result += fmt.Sprintf(`,"body":%q`, fmt.Sprintf(`{"error":%q,"error_description":%[1]q}`, i.repeat))
		}
	case "failed":
		result = fmt.Sprintf(`,"failed":%q`, "reason"+i.repeat)
	case "null":
		result = `,"value":null`
	case "stored": // token, expiry, and when it was requested, if that was not now
		value := strings.TrimSuffix(object(words[1], i.Clock+number(2)), "}")
		at := i.Clock
		if len(words) > 3 {
			at += number(3)
		}
		result = fmt.Sprintf(`,"value":%q`, value+fmt.Sprintf(`,"requested_at":%d}`, at))
	case "value":
		result = fmt.Sprintf(`,"value":%q`, strings.Join(words[1:], " "))
	case "lock":
		result = fmt.Sprintf(`,"value":%q`, `{"state":"`+words[1]+`"}`)
	case "failure": // code, status, wait, failures
		result = fmt.Sprintf(`,"value":%q`, fmt.Sprintf(`{"state":"failed","code":%q,"status":%d,"until":%d,"wait":%d,"failures":%d}`,
			words[1], number(2), i.Clock+number(3), number(3), number(4)))
	case "added", "held":
		result = fmt.Sprintf(`,"added":%v`, words[0] == "added")
	case "ok":
	default:
		seconds, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil {
			i.t.Fatalf("unknown: %s", line)
		}
		i.Clock += seconds
		return ""
	}
	return i.returned(name, flow.Resume(i, fmt.Appendf(nil, `{"flow":%s%s}`, i.flows[name], result)))
}

func (i *plugin) beginning(words []string) string {
	input := map[string]any{}
	for _, word := range words {
		switch field, value, _ := strings.Cut(word, "="); field {
		case "store", "wait":
			accepts, _ := input["accepts"].([]string)
			input["accepts"] = append(accepts, word)
		case "refused":
			input[field] = value
		default:
			input[field] = true
		}
	}
	b, err := json.Marshal(input)
	if err != nil {
		i.t.Fatal(err)
	}
	return string(b)
}

func object(token string, expiresAt int64) string {
	return fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_at":%d,"cache_key":%q}`, token, expiresAt, key)
}

// returned says in short what an export returned, with times from now on.
func (i *plugin) returned(name string, r host.Result) string {
	i.t.Helper()
	if r.Kind == host.Output && len(r.Text) == 0 {
		return ""
	}
	var s struct {
		Step, Op, Key, Value string
		Seconds              json.Number
		TTL                  int64
		Token                struct {
			AccessToken string `json:"access_token"`
			ExpiresAt   int64  `json:"expires_at"`
		}
		Until      int64
		Flow       json.RawMessage
		Code       string
		Field      string `json:"-"`
		Status     int
		RetryAfter int64 `json:"retry_after"`
	}
	if err := json.Unmarshal(r.Text, &s); err != nil {
		i.t.Fatalf("%s: %v", r.Text, err)
	}
	i.flows[name], i.key, i.text = s.Flow, s.Key, string(r.Text)
	if strings.Contains(string(r.Text), "s3cret") && s.Step != "request" || strings.Contains(string(s.Flow), "token-") {
		i.t.Errorf("a secret in %s", r.Text)
	}
	text := s.Step
	switch {
	case r.Kind == host.Error:
		text = s.Code
		if s.Status != 0 {
			text += fmt.Sprint(" ", s.Status)
		}
		if s.RetryAfter != 0 {
			text += fmt.Sprintf(" retry %d", s.RetryAfter)
		}
	case s.Step == "wait":
		text += " " + s.Seconds.String()
	case s.Step == "store":
		text = s.Op + " " + strings.ReplaceAll(strings.ReplaceAll(s.Key, key+":", ""), key, "token")
		text, _, _ = strings.Cut(text, ":") // the number of the secret
		if s.Op != "get" {
			text += fmt.Sprintf(" %s %d", i.short(s.Value), s.TTL)
		}
	}
	if s.Token.AccessToken != "" {
		text += fmt.Sprintf(" | %s %+d", s.Token.AccessToken, s.Until-i.Clock)
	}
	return text
}

// short says in short what the store gets.
func (i *plugin) short(value string) string {
	var v struct {
		State, Code string
		Failures    int
		AccessToken string `json:"access_token"`
		Until, Wait int64
	}
	if err := json.Unmarshal([]byte(value), &v); err != nil {
		i.t.Fatalf("%s: %v", value, err)
	}
	if v.Code != "" {
		if v.Until != i.Clock+v.Wait {
			i.t.Errorf("until and wait differ: %s", value)
		}
		return fmt.Sprintf("%s %s wait %d failures %d", v.State, v.Code, v.Wait, v.Failures)
	}
	return v.State + v.AccessToken
}
