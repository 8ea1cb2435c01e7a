package chart

import (
	_ "embed" // for the stylesheet
	"html/template"
)

// Style is the stylesheet of every chart and figure. It uses the reader's colour
// scheme unless an ancestor element has data-theme="light" or data-theme="dark".
//
//go:embed style.css
var Style string

// Head is the title and the description of a chart. Screen readers read them aloud
// instead of the drawing, so the description should say what the chart shows.
type Head struct {
	ID          string // optional; links title and description to the drawing by element ids
	Title       string
	Description string
}

func (h Head) head() Head { return h }

// Picture is a chart that Figure can draw. Every type of this package that has a
// Head is a Picture.
type Picture interface {
	SVG() template.HTML
	Table() Table
	head() Head
}

// Figure returns a chart with its caption above it and its numbers in a collapsed
// table below it.
func Figure(p Picture) template.HTML {
	var b pen
	h := p.head()
	b.raw(`<figure class="chart"><figcaption><strong>`)
	b.esc(h.Title)
	b.raw(`</strong>`)
	if h.Description != "" {
		b.raw(` <span>`)
		b.esc(h.Description)
		b.raw(`</span>`)
	}
	b.raw(`</figcaption>`)
	b.raw(string(p.SVG()))
	if t := p.Table(); len(t.Rows) > 0 {
		b.raw(`<details><summary>Numbers</summary>`)
		b.table(t, h.Title)
		b.raw(`</details>`)
	}
	b.raw(`</figure>`)
	return b.html()
}

// Tone is a colour of the palette. Tones differ in lightness as well as in hue, so
// that colour-blind readers and readers of printed pages can distinguish them.
type Tone int

// The palette. Blue and orange mean good and bad, or before and after.
const (
	Blue Tone = iota
	Orange
	Grey
	Teal
	Violet
	Amber
	Red
	tones
)

// The tones for decision statuses and risk levels. All charts use the same tones, and so do the badges beside the
// charts.
const (
	Approved = Teal
	Referred = Amber
	Declined = Red

	LowRisk    = Teal
	MediumRisk = Amber
	HighRisk   = Red
	Blocked    = Violet
)

func (t Tone) class() string {
	if t < 0 || t >= tones {
		t = Grey
	}
	return [...]string{"t-blue", "t-orange", "t-grey", "t-teal", "t-violet", "t-amber", "t-red"}[t]
}
