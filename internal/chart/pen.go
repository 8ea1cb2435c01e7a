package chart

import (
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// The constant wide is the width of every drawing in units, whatever its size on the page. In a narrow figure the
// stylesheet enlarges the text, up to a size of wideText units. The layout always leaves space for that size.
const (
	wide      = 480.0
	wideText  = 16.0
	letter    = 0.56 * wideText // upper estimate of the mean width of a letter
	lineSpace = 22.0
)

// pen builds markup. Every text from a caller must be written with esc or
// breakable, which escape it.
type pen struct{ b strings.Builder }

// html returns the markup. It is safe because all text was escaped.
func (p *pen) html() template.HTML { return template.HTML(p.b.String()) }

func (p *pen) raw(s string) { p.b.WriteString(s) }

func (p *pen) esc(s string) { p.b.WriteString(html.EscapeString(tidy(s))) }

// breakable writes a text that may be wrapped after an underscore. The ids of rules
// are long, and on a narrow screen they would otherwise be broken at any character.
func (p *pen) breakable(s string) {
	p.b.WriteString(strings.ReplaceAll(html.EscapeString(tidy(s)), "_", "_<wbr/>"))
}

// tidy removes characters that must not be in markup even when escaped: control characters, which XML
// forbids, and invisible ones that change the direction of text. It replaces line breaks and tabs by
// spaces.
func tidy(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Bidi_Control, r), r == 0xFFFE, r == 0xFFFF:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// open starts a drawing of the full width and the given height.
func (p *pen) open(h Head, kind string, height float64) {
	p.raw(`<svg xmlns="http://www.w3.org/2000/svg" class="chart chart-` + kind + `" viewBox="0 0 ` + num(wide) + ` ` +
		num(height) + `" width="100%" role="img"`)
	if h.ID != "" {
		p.raw(` aria-labelledby="`)
		p.esc(h.ID)
		p.raw(`-title" aria-describedby="`)
		p.esc(h.ID)
		p.raw(`-desc"`)
	}
	p.raw(">\n")
	p.named("title", h.ID, h.Title)
	if h.Description != "" || h.ID != "" {
		p.named("desc", h.ID, h.Description)
	}
}

// openLinked starts a drawing like open. Parts of the drawing are links, so it is a group and not an image.
func (p *pen) openLinked(h Head, kind string, height float64) {
	p.raw(`<svg xmlns="http://www.w3.org/2000/svg" class="chart chart-` + kind + `" viewBox="0 0 ` + num(wide) + ` ` +
		num(height) + `" width="100%" role="group" aria-label="`)
	p.esc(h.Title)
	p.raw("\">\n")
}

func (p *pen) named(element, id, text string) {
	p.raw("<" + element)
	if id != "" {
		p.raw(` id="`)
		p.esc(id)
		p.raw("-" + element + `"`)
	}
	p.raw(">")
	p.esc(text)
	p.raw("</" + element + ">\n")
}

func (p *pen) close() template.HTML {
	p.raw("</svg>\n")
	return p.html()
}

func (p *pen) attr(name string, v float64) { p.raw(" " + name + `="` + num(v) + `"`) }

// end closes an element, with a tooltip unless tip is "".
func (p *pen) end(element, tip string) {
	if tip == "" {
		p.raw("/>\n")
		return
	}
	p.raw("><title>")
	p.esc(tip)
	p.raw("</title></" + element + ">\n")
}

func (p *pen) rect(class string, x, y, w, h float64, tip string) {
	p.raw(`<rect class="` + class + `"`)
	p.attr("x", x)
	p.attr("y", y)
	p.attr("width", math.Max(w, 0))
	p.attr("height", math.Max(h, 0))
	p.end("rect", tip)
}

func (p *pen) line(class string, x1, y1, x2, y2 float64) {
	p.raw(`<line class="` + class + `"`)
	p.attr("x1", x1)
	p.attr("y1", y1)
	p.attr("x2", x2)
	p.attr("y2", y2)
	p.end("line", "")
}

func (p *pen) circle(class string, x, y, r float64, tip string) {
	p.raw(`<circle class="` + class + `"`)
	p.attr("cx", x)
	p.attr("cy", y)
	p.attr("r", r)
	p.end("circle", tip)
}

// path draws a polyline through the points. If shut is set, the line is closed, so
// that it encloses an area.
func (p *pen) path(class string, at []Point, shut bool) {
	p.raw(`<path class="` + class + `" d="`)
	for i, q := range at {
		if i == 0 {
			p.raw("M")
		} else {
			p.raw("L")
		}
		p.raw(num(q.X) + " " + num(q.Y))
	}
	if shut {
		p.raw("Z")
	}
	p.raw("\"/>\n")
}

// Anchors of a text: its beginning, its middle or its end.
const (
	start  = ""
	middle = "m"
	finish = "e"
)

func (p *pen) text(class, anchor string, x, y float64, s string) {
	p.raw("<text")
	if c := strings.TrimSpace(class + " " + anchor); c != "" {
		p.raw(` class="` + c + `"`)
	}
	p.attr("x", x)
	p.attr("y", y)
	p.raw(">")
	p.esc(s)
	p.raw("</text>\n")
}

// nothing handles a chart without data: it writes "No data" in the middle of the drawing.
func (p *pen) nothing(height float64) { p.text("soft", middle, wide/2, height/2, "No data") }

// num formats a coordinate with at most one decimal.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// clip shortens a text, with an ellipsis at the end, to fit the given width.
func clip(s string, width float64) string {
	runes := []rune(tidy(s))
	most := max(int(width/letter), 2)
	if len(runes) <= most {
		return string(runes)
	}
	return strings.TrimRight(string(runes[:most-1]), " ") + "…"
}

// breadth returns the estimated width of a text.
func breadth(s string) float64 { return letter * float64(len([]rune(s))) }
