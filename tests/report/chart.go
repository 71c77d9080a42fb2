package report

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Chart is horizontal bars on a logarithmic scale, from 1 on.
type Chart struct {
	Title string
	Bars  []Bar
}

// Bar is one of them. Second gives it the second color.
type Bar struct {
	Label, Text string
	Value       float64
	Second      bool
}

const (
	chartWidth = 760
	barsAt     = 250 // where the bars begin
	barsTo     = 660
	rowHeight  = 26
)

// SVG draws the chart, readable on a light and a dark page.
func (c *Chart) SVG() string {
	most := 1.0
	for _, b := range c.Bars {
		most = max(most, b.Value)
	}
	decades := math.Ceil(math.Log10(most))
	scale := func(v float64) float64 { return barsAt + (barsTo-barsAt)*math.Log10(max(v, 1))/max(decades, 1) }
	height := 56 + rowHeight*len(c.Bars)
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">
<style>
text { font: 13px system-ui, sans-serif; fill: #222 } .title { font-weight: 600 } .grid { stroke: #ccc } .small { font-size: 11px }
.first { fill: #b3541e } .second { fill: #1f6f8b }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .grid { stroke: #444 } .first { fill: #e08e5a } .second { fill: #5ab0cc } }
</style>
<text class="title" x="8" y="20">%s</text>
`, chartWidth, height, html.EscapeString(c.Title), html.EscapeString(c.Title))
	for d := 0.0; d <= decades; d++ {
		x := scale(math.Pow(10, d))
		fmt.Fprintf(&s, "<line class=\"grid\" x1=\"%.0f\" x2=\"%.0f\" y1=\"32\" y2=\"%d\"/><text class=\"small\" x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n",
			x, x, height-20, x, height-6, math.Pow(10, d))
	}
	for n, b := range c.Bars {
		y, class := 36+rowHeight*n, "first"
		if b.Second {
			class = "second"
		}
		fmt.Fprintf(&s, "<text x=\"8\" y=\"%d\">%s</text><rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/><text x=\"%.0f\" y=\"%d\">%s</text>\n",
			y+14, html.EscapeString(b.Label), class, barsAt, y, max(scale(b.Value)-barsAt, 2), rowHeight-8, scale(b.Value)+6, y+14, html.EscapeString(b.Text))
	}
	s.WriteString("</svg>\n")
	return s.String()
}
