package model

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// marks are the beginnings of tokens and secrets, even encoded ones: they must only be where
// a token or a secret belongs.
const (
	tokenMark  = "TOKEN-"
	secretMark = "SECRETpa"
)

// mostSteps is the largest number of steps of a call: at most 30 waits for calls and 35 for the
// store, each with a check, and a call may obtain a token twice.
const mostSteps = 220

// holds checks the invariants of an output that need no model. b is nil without a call.
func (w *world) holds(i *instance, b *branch, o *output) bool {
	if o.problem != "" {
		w.fail("an output is as the contract says: "+o.problem, "%s", o.text)
	}
	w.hides(i, b, o)
	if b == nil {
		return true
	}
	if strings.Contains(o.text, canary) && !b.attempt.wild {
		w.fail("a forged flow does no harm to another call", "%s", o.text)
	}
	c := &b.attempt
	first, _, _ := strings.Cut(o.words, " ")
	switch {
	case b.steps > mostSteps:
		w.fail("a call ends", "it has taken %d steps", b.steps)
	case first == "token" && c.requested && !c.wild:
		w.fail("one token request for each call", "%s", o.text)
	case first == "service" && c.sends > 2 && !c.wild:
		w.fail("two retries for each call", "%s", o.text)
	case first == "wait" && c.force && !c.wild:
		w.fail("force waits for no call", "%s", o.text)
	case first == "wait" && c.accepts == 0, slices.Contains([]string{"get", "add", "set"}, first) && c.accepts < 2:
		if !c.wild {
			w.fail("a host gets the steps that it accepts", "%s", o.text)
		}
	}
	switch {
	case first == "token":
		w.wellSent(i, o)
	case first == "service":
		w.wellUsed(i, o)
		w.addressed(i, b, o)
	case first == "done" && c.name == "get_token", strings.HasPrefix(o.words, "set token "+tokenMark):
		w.wellUsed(i, o)
		if o.expires < 1 {
			w.fail("expires_at is at least 1", "%s", o.text)
		}
	}
	return true
}

var tokenText = regexp.MustCompile(tokenMark + "[0-9a-z]+")

// known returns a text without the tokens that were passed for this output and that neither the
// instance nor the call can know, as a forged flow may lack the refused one: they cannot be redacted.
func (w *world) known(i *instance, b *branch, text string) string {
	if b == nil || !strings.Contains(w.passed, tokenMark) {
		return text
	}
	c := &b.attempt
	for _, t := range tokenText.FindAllString(w.passed, -1) {
		if !i.facts.knows(t) && t != c.using && (t != c.refused || c.forged) && t != c.got && t != c.last.token {
			text = strings.ReplaceAll(text, t, "")
		}
	}
	return text
}

// hides wants tokens and secrets only where they belong.
func (w *world) hides(i *instance, b *branch, o *output) {
	text := o.text
	if o.failed {
		text = w.known(i, b, text)
	}
	tokens := strings.Count(text, tokenMark)
	if strings.Contains(o.token, tokenMark) && (o.purpose == "service" || o.step == "done" || o.op == "set") {
		tokens--
	}
	switch secrets := o.purpose != "token" && strings.Contains(o.text, secretMark); {
	case tokens > 0:
		w.fail("no token where none belongs: "+kindOf(o.words), "%s", o.text)
	case secrets:
		w.fail("no secret where none belongs: "+kindOf(o.words), "%s", o.text)
	}
	for _, line := range w.logs {
		if strings.Contains(line, tokenMark) || strings.Contains(line, secretMark) {
			w.fail("no secret in the log", "%s", line)
		}
	}
}

// wellSent checks a token request.
func (w *world) wellSent(i *instance, o *output) {
	form, err := url.ParseQuery(o.body.Str)
	if err != nil || o.url != i.Settings["auth_url"]+"/connect/token" || o.method != "POST" ||
		form.Get("client_id") != i.Settings["client_id"] || form.Get("client_secret") != i.Settings["client_secret"] || len(form) != 4 {
		w.fail("a token request is the client's", "%s", o.text)
	}
}

// wellUsed wants a token that this instance was given as this client, and that was neither
// cleared nor refused since.
func (w *world) wellUsed(i *instance, o *output) {
	era, had := i.had[o.token]
	switch {
	case i.dirty: // its host has yet to call clear_token
	case !had:
		w.fail("a token is one that the instance was given", "%s", o.text)
	case era < i.facts.era:
		w.fail("no token that was cleared", "%s", o.text)
	case slices.Contains(i.facts.refused, o.token) && !i.facts.unsure:
		w.fail("no token that was refused", "%s\n  refused: %q", o.text, i.facts.refused)
	}
}

// addressed checks that a request to the service is the call's.
func (w *world) addressed(i *instance, b *branch, o *output) {
	if i.dirty || b.attempt.wild {
		return
	}
	method, path := "GET", "/jobs"
	if b.attempt.name == "send_request" {
		method, path = "POST", "/a/b?c=d"
	}
	customer := i.Settings["customer_id"]
	if id := gjson.Get("{"+strings.TrimPrefix(b.input, ",")+"}", "customer_id"); id.Exists() {
		customer = id.Str
	}
	if o.method != method || o.url != i.Settings["base_url"]+path || o.headers.Get("CUSTOMER_ID").Str != customer {
		w.fail("a request is the call's", "%s", o.text)
	}
}

// invariant returns the invariant that is broken by an output that the model does not allow.
func (v view) invariant(o *output, allowed []string) string {
	on, certain := v.waiting()
	first, _, _ := strings.Cut(o.words, " ")
	what := "after " + general(v.c.last.words) + ": " + general(o.words) + " instead of " + general(allowed[0])
	switch {
	case first == "token" && on && certain:
		return "no token request during a backoff: " + what
	case first == "wait" && v.valid():
		return "a call with a valid token does not wait: " + what
	case first != "error" && first != "service" && first != "done" && on && certain && strings.HasPrefix(allowed[0], "error"):
		return "a call without a token fails at once during a backoff: " + what
	case first == "token" && allowed[0] == "wait for call":
		return "one token request at a time: " + what
	case first == "error" && strings.HasPrefix(allowed[0], "error"):
		return "a call ends with the error of its own request: " + what
	}
	return "what the model allows: " + what
}

// general replaces the token in the model's words.
func general(words string) string {
	if before, _, found := strings.Cut(words, tokenMark); found {
		return before + "TOKEN"
	}
	if words == "" {
		return "begin"
	}
	return words
}
