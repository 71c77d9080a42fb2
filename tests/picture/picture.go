// Package picture draws the pictures of pages, which fit light and dark ones.
package picture

import (
	"fmt"
	"html"
	"strings"
)

// style has a class for each kind of thing. Its colors are GitHub's.
const style = `svg { background: #fff } text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.end { text-anchor: end } .middle { text-anchor: middle } .title { font-size: 14px; font-weight: 600 }
.ours { fill: #0969da } .peer { fill: #afb8c1 } .failed { fill: #cf222e } .down { fill: #cf222e; opacity: .15 }
.grid { fill: #d1d9e0 } .event { fill: #8250df }
@media (prefers-color-scheme: dark) { svg { background: #0d1117 } text { fill: #f0f6fc }
.ours { fill: #4493f8 } .peer { fill: #656c76 } .failed, .down { fill: #f85149 } .grid { fill: #3d444d } .event { fill: #ab7df8 } }`

// Picture is a drawing in SVG. Its units are pixels.
type Picture struct {
	width, height int
	title         string
	body          strings.Builder
}

// New returns a picture with a title, which screen readers read, too.
func New(title string, width, height int) *Picture {
	p := &Picture{width: width, height: height, title: title}
	p.Text("title", 12, 24, title)
	return p
}

// Bar draws a rectangle of a class.
func (p *Picture) Bar(class string, x, y, width, height float64) {
	fmt.Fprintf(&p.body, "<rect class=%q x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", class, x, y, width, height)
}

// Text draws a line of text of some classes, or of none.
func (p *Picture) Text(classes string, x, y float64, text string) {
	fmt.Fprintf(&p.body, "<text class=%q x=\"%.1f\" y=\"%.1f\">%s</text>\n", classes, x, y, html.EscapeString(text))
}

// String returns the picture as a file has it.
func (p *Picture) String() string {
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %[1]d %[2]d\" role=\"img\">\n"+
		"<title>%s</title>\n<style>%s</style>\n%s</svg>\n", p.width, p.height, html.EscapeString(p.title), style, p.body.String())
}
