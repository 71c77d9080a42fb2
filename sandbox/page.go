package sandbox

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

const (
	pagePath   = "/"
	eventsPath = "/events"
	rotatePath = "/rotate"
)

//go:embed page.html
var page []byte

// servePage serves the page, which sends requests to this server alone.
func servePage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'none'")
	_, _ = w.Write(page)
}

// state is what the page shows in addition to the timeline.
type state struct {
	Tokens []validToken      `json:"tokens"`
	Faults map[string]string `json:"faults"` // by server
}

func (s *Sandbox) state() state {
	now := state{Tokens: s.ledger.valid(), Faults: map[string]string{}}
	for server, i := range s.faults {
		if f := i.current(); f != nil {
			now.Faults[server] = f.String()
		}
	}
	return now
}

// String describes the fault in a few words.
func (f *Fault) String() string {
	var words []string
	if f.Delay > 0 {
		words = append(words, "slow, "+f.Delay.String())
	}
	if f.Hold {
		words = append(words, "hangs")
	}
	if f.CutOff {
		words = append(words, "down")
	}
	if f.Status != 0 {
		words = append(words, fmt.Sprint(f.Status))
	}
	if after := f.Headers["Retry-After"]; after != "" {
		words = append(words, "Retry-After "+after)
	}
	if f.Requests > 0 {
		words = append(words, fmt.Sprintf("%d more", f.Requests))
	}
	return strings.Join(words, ", ")
}

// serveEvents sends the timeline and then its changes, as server-sent events.
func (s *Sandbox) serveEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	send := func(event string, v any) error {
		b, err := json.Marshal(v)
		if err == nil {
			_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, b)
		}
		return err
	}
	for seen := 0; ; {
		entries, now, changed := s.timeline.since(seen)
		seen = now
		for _, e := range entries {
			if send("entry", e) != nil {
				return
			}
		}
		if send("state", s.state()) != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		case <-s.closing:
			return
		}
	}
}

// switched adds the use of a control to the timeline.
func (s *Sandbox) switched(what string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w}
		h(rec, r)
		if rec.status/100 == 2 {
			s.timeline.add(&entry{Switch: what})
		}
	}
}
