package suite

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"automatic-rostering/tests/conformance/canary"
	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/protocol"
)

// outcome compares the end of a request with the one that must be, and returns what is wrong.
func (w *world) outcome(want *Want, a protocol.Response, err error) string {
	if err != nil {
		return err.Error()
	}
	if shown := a.Error + a.Text + a.Shown + a.Cause + a.Misuse + a.Trap; leaks(shown) {
		return "the error shows a secret"
	}
	if want == nil {
		want = &Want{}
	}
	failed := a.Error+a.Misuse+a.Trap != "" || a.Canceled || a.Closed
	switch {
	case want.Fails && failed:
		return parts(want.Text, a.Error+a.Misuse+a.Trap+a.Text)
	case want.Canceled && a.Canceled, want.Closed && a.Closed:
		return ""
	case want.Misuse:
		return misused(want, a)
	case want.Error != nil || want.Message != "" || want.Text != nil:
		return w.error(want, a)
	case failed, want.Fails, want.Canceled, want.Closed:
		return describe(a)
	}
	return w.result(want, a)
}

// leaks reports whether a text has the client secret or a token of the token endpoint.
func leaks(text string) bool {
	return slices.ContainsFunc([]string{held.Secret, "token-00"}, func(secret string) bool { return canary.Shows(text, secret) })
}

func describe(a protocol.Response) string {
	a.Shown = ""
	if len(a.Body) > 300 {
		a.Body = a.Body[:300]
	}
	b, _ := json.Marshal(a)
	return fmt.Sprintf("it ended with %s (%.300q)", b, a.Body)
}

// misused wants the language's own error, or where there is none the library's, with these parts of
// its text.
func misused(want *Want, a protocol.Response) string {
	var e struct {
		Code      string
		Retryable bool
	}
	if a.Misuse == "" && (json.Unmarshal([]byte(a.Error), &e) != nil || e.Code != "invalid_input" && e.Code != "config_invalid" || e.Retryable) {
		return describe(a)
	}
	return parts(want.Text, a.Misuse+a.Text)
}

func parts(want []string, text string) string {
	for _, part := range want {
		if !strings.Contains(text, part) {
			return fmt.Sprintf("%q is not in %q", part, text)
		}
	}
	return ""
}

func (w *world) error(want *Want, a protocol.Response) string {
	var got map[string]any
	if err := json.Unmarshal([]byte(a.Error), &got); err != nil {
		return describe(a)
	}
	for field, value := range want.Error {
		if text, ok := value.(string); ok {
			value = w.fill(text)
		}
		if !same(got[field], value) {
			return fmt.Sprintf("%s is %v, not %v: %s", field, got[field], value, a.Error)
		}
	}
	message, _ := got["message"].(string)
	if !strings.Contains(message, w.fill(want.Message)) {
		return fmt.Sprintf("the message is %q", message)
	}
	if want.Cause && a.Cause == "" {
		return "it has no cause"
	}
	if want.Status != 0 && a.Status != want.Status || want.Body != nil && string(a.Body) != w.fill(*want.Body) {
		return describe(a)
	}
	var texts []string
	for _, text := range want.Text {
		texts = append(texts, w.fill(text))
	}
	if wrong := parts(texts, a.Text); wrong != "" {
		return wrong
	}
	return w.headers(want.Headers, a.Headers)
}

// same compares values of JSON and YAML.
func same(got, want any) bool {
	b, err := json.Marshal(want)
	var plain any
	return err == nil && json.Unmarshal(b, &plain) == nil && reflect.DeepEqual(got, plain)
}

func (w *world) result(want *Want, a protocol.Response) string {
	if want.Status != 0 && a.Status != want.Status || want.Body != nil && string(a.Body) != w.fill(*want.Body) {
		return describe(a)
	}
	if want.Token != "" {
		var token struct {
			AccessToken string `json:"access_token"`
		}
		if json.Unmarshal(a.Token, &token) != nil || token.AccessToken != want.Token {
			return fmt.Sprintf("the token is %s", a.Token)
		}
	}
	if want.Value != nil && (a.Value == nil || *a.Value != *want.Value) || want.NoValue && a.Value != nil ||
		want.Added != nil && (a.Added == nil || *a.Added != *want.Added) {
		return describe(a)
	}
	if want.Known != nil {
		return known(want.Known, a)
	}
	if want.Got != nil {
		var got map[string]any
		if err := json.Unmarshal(a.Body, &got); err != nil {
			return describe(a)
		}
		for field, value := range want.Got {
			if !same(got[field], value) {
				return fmt.Sprintf("the service got the %s %q, not %q", field, got[field], value)
			}
		}
	}
	return w.headers(want.Headers, a.Headers)
}

// known compares the status of a client.
func known(want map[string]any, a protocol.Response) string {
	var got map[string]any
	if err := json.Unmarshal(a.Known, &got); err != nil {
		return describe(a)
	}
	for field, value := range want {
		if wanted, ok := value.(map[string]any); ok && field == "error" { // whose message is free
			e, _ := got[field].(map[string]any)
			if message, _ := e["message"].(string); e["code"] != wanted["code"] || message == "" {
				return fmt.Sprintf("the status is %s", a.Known)
			}
		} else if !same(got[field], value) {
			return fmt.Sprintf("%s is not %v: the status is %s", field, value, a.Known)
		}
	}
	return ""
}
