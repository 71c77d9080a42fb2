package main

import (
	"io"
	"strings"
	"time"
)

// printer writes lines, in colour or without.
type printer struct {
	w     io.Writer
	color bool
}

// line writes one line. There is nobody to report to if it cannot be written.
func (p *printer) line(indent int, text string) {
	text = strings.Repeat("   ", indent) + text
	_, _ = io.WriteString(p.w, strings.TrimRight(text, " ")+"\n")
}

func (p *printer) strong(text string) string { return p.paint("1", text) }
func (p *printer) faint(text string) string  { return p.paint("2", text) }
func (p *printer) bad(text string) string    { return p.paint("31", text) }
func (p *printer) good(text string) string   { return p.paint("32", text) }
func (p *printer) wired(text string) string  { return p.paint("36", text) }

// paint wraps text in a colour (ECMA-48, SGR).
func (p *printer) paint(code, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// exchange shows a request and its response, without anything private.
func (p *printer) exchange(e exchange) {
	if !e.whole {
		p.line(2, p.wired("→ "+e.method+" "+e.path)+" ← "+e.status)
		return
	}
	p.line(2, p.wired("→ "+e.method+" "+e.url))
	for _, header := range e.headers {
		p.line(3, hideHeader(header))
	}
	for _, field := range hideForm(e.form) {
		p.line(4, field)
	}
	p.line(2, p.wired("← ")+e.status)
	p.line(3, hideToken(e.response))
}

// since says how long something took, as exactly as people care for.
func since(start time.Time) string {
	d := time.Since(start)
	switch {
	case d < time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
