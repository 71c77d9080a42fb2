//go:build !tinygo

package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// line is a call in a scenario of tests/scenarios. Some of its fields are not part of that
// format, which has one instance and unchanged flows: they show what has to be adapted.
type line struct {
	Call   string          `json:"call,omitempty"`
	Resume string          `json:"resume,omitempty"`
	As     string          `json:"as,omitempty"`
	Now    json.RawMessage `json:"now,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`

	Instance  int    `json:"instance,omitempty"`
	StepsBack int    `json:"steps_back,omitempty"`
	Forged    string `json:"forged,omitempty"`
	World     string `json:"world,omitempty"` // what else happens

	Step  any             `json:"step,omitempty"`
	Done  bool            `json:"done,omitempty"`
	Token any             `json:"token,omitempty"`
	Error json.RawMessage `json:"error,omitempty"`
	Empty bool            `json:"empty,omitempty"`
	Renew bool            `json:"renew,omitempty"`
}

// scenario collects the lines of a sequence while it happens.
type scenario []line

func (s *scenario) add(l line) {
	if s != nil {
		*s = append(*s, l)
	}
}

// line returns the line of a call that begins, or is resumed.
func (a *action) line(b *branch, now int64, input string) line {
	l := line{Call: b.attempt.name, As: fmt.Sprint("call ", a.id), Instance: b.at.number, StepsBack: a.back}
	if a.do == "resume" {
		l.Call, l.Resume = "", fmt.Sprint("call ", a.call)
		if a.id == 0 {
			l.As = ""
		}
		if a.member != "" {
			l.Forged = a.member + ": " + a.value
		}
	}
	l.Now = json.RawMessage("null")
	if !a.noNow {
		l.Now = fmt.Append(nil, now)
	}
	if input = strings.TrimPrefix(input, ","); input != "" {
		l.Input = json.RawMessage("{" + input + "}")
	}
	return l
}

// ends adds the outcome of a call.
func (l line) ends(o *output) line {
	l.Renew = o.renew
	first, _, _ := strings.Cut(o.words, " ")
	switch {
	case o.failed:
		l.Error = json.RawMessage(o.text)
	case first == "done" && o.token != "":
		l.Token = map[string]any{"access_token": o.token, "expires_at": o.expires}
	case first == "done":
		l.Done = true
	case first == "nothing":
		l.Empty = true
	case first == "token":
		l.Step = map[string]any{"token": struct{}{}}
	case first == "service":
		l.Step = map[string]any{"jobs": map[string]any{"with": o.token, "last": o.last}}
	case first == "wait":
		l.Step = map[string]any{"wait": o.seconds, "for": o.purpose}
	default:
		l.Step = o.exchange()
	}
	return l
}

// exchange returns an operation on the store as an exchange.
func (o *output) exchange() map[string]any {
	e := map[string]any{}
	if strings.HasSuffix(o.key, ":asking") {
		e["lock"] = true
	}
	if o.op != "get" {
		e["value"], e["ttl"] = json.RawMessage(o.value), o.ttl
	}
	return map[string]any{o.op: e}
}

// text returns the scenario as YAML, one call per line; JSON is YAML too.
func (s scenario) text(f *Finding) string {
	var out bytes.Buffer
	fmt.Fprintf(&out, "- name: %q\n  accepts: %s\n  calls:\n", f.Invariant, s.accepting(f))
	for _, l := range s {
		out.WriteString("    - ")
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(l); err != nil {
			fmt.Fprintf(&out, "%q\n", err)
		}
	}
	return out.String()
}

func (s scenario) accepting(f *Finding) string {
	most := action{}
	for _, a := range f.actions {
		most.accepts, most.renews = max(most.accepts, a.accepts), most.renews || a.renews
	}
	return most.accepting()
}

// silent are the actions that change only the surroundings.
var silent = []string{"revoke", "refuse", "down", "store down", "forget", "poison", "jump", "config", "drop"}

// record adds the line of an action without a call.
func (w *world) record(a *action) {
	if slices.Contains(silent, a.do) {
		w.scenario.add(line{World: strings.TrimSpace(fmt.Sprint(a.do, " ", a.name, " ", a.num, " ", a.text)), Instance: a.at})
	}
}

// String describes an action in one line.
func (a *action) String() string {
	text := fmt.Sprintf("%s on %d", a.do, a.at)
	if a.pass > 0 {
		text = fmt.Sprintf("%d s later: %s", a.pass, text)
	}
	switch a.do {
	case "begin":
		text += fmt.Sprintf(": %d %s accepts %s %s", a.id, a.name, a.accepting(), a.more)
	case "resume":
		text += fmt.Sprintf(": %d", a.call)
		if a.id != 0 {
			text += fmt.Sprintf(", %d steps back, as %d", a.back, a.id)
		}
		if a.member != "" {
			text += fmt.Sprintf(", forged %s=%s", a.member, a.value)
		}
		if a.result != nil {
			text += fmt.Sprintf(" with %.300s", a.raw)
		}
	case "drop":
		text += fmt.Sprintf(": %d", a.call)
	default:
		text += fmt.Sprintf(" %s %d", a.name, a.num)
	}
	if a.text != "" {
		text += " " + a.text
	}
	if a.noNow {
		text += ", without now"
	}
	return text
}
