package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// shown is how much of a token is shown: enough to recognize a JWT, and of its
// header alone.
const shown = 8

// shorten shows the beginning of a token.
func shorten(token string) string {
	if len(token) <= 2*shown {
		return hide(token)
	}
	return fmt.Sprintf("%s…(%d characters)", token[:shown], utf8.RuneCountInString(token))
}

// hide shows nothing of a secret but its length.
func hide(secret string) string {
	return fmt.Sprintf("(hidden, %d characters)", utf8.RuneCountInString(secret))
}

// hideHeader shortens the token in an Authorization header.
func hideHeader(line string) string {
	name, value, _ := strings.Cut(line, ": ")
	if !strings.EqualFold(name, "Authorization") {
		return line
	}
	scheme, token, _ := strings.Cut(value, " ")
	return name + ": " + scheme + " " + shorten(token)
}

// hideForm returns the fields of a form body, the secret hidden.
func hideForm(form string) []string {
	if form == "" {
		return nil
	}
	var fields []string
	for field := range strings.SplitSeq(form, "&") {
		name, value, _ := strings.Cut(field, "=")
		if name == "client_secret" {
			plain, _ := url.QueryUnescape(value)
			value = hide(plain)
		}
		fields = append(fields, name+"="+value)
	}
	return fields
}

// hideToken shortens the token in a token response.
func hideToken(body string) string {
	var response struct {
		AccessToken string `json:"access_token"`
	}
	if json.Unmarshal([]byte(body), &response) == nil && response.AccessToken != "" {
		body = strings.ReplaceAll(body, response.AccessToken, shorten(response.AccessToken))
	}
	return strings.TrimSpace(body)
}
