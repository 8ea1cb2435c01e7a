package chart

import (
	_ "embed" // the stylesheet is kept as a file so that it reads as CSS
	"html/template"
)

// Style is the stylesheet of every picture and figure. It follows the reader's
// colour scheme unless an ancestor says data-theme="light" or "dark".
//
//go:embed style.css
var Style string

// Head is what every picture says about itself. Title and Description are read
// aloud in place of the drawing, so the description states what to see in it.
type Head struct {
	ID          string // optional; ties title and description to the drawing where one page shows several
	Title       string
	Description string
}

func (h Head) head() Head { return h }

// Picture is what Figure needs of a picture; every type of this package that
// has a Head is one.
type Picture interface {
	SVG() template.HTML
	Table() Table
	head() Head
}

// Figure is a picture with its caption above and its numbers as a table
// beneath, folded away until somebody wants to read them.
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

// Tone is one of the few colours of the palette. They differ in lightness as
// well as in hue, so that they stay apart for colour-blind eyes and on paper.
type Tone int

// The palette. Blue and orange carry meaning (good and bad, before and after);
// the others only keep further series apart.
const (
	Blue Tone = iota
	Orange
	Grey
	Teal
	Violet
	tones
)

func (t Tone) class() string {
	if t < 0 || t >= tones {
		t = Grey
	}
	return [...]string{"t-blue", "t-orange", "t-grey", "t-teal", "t-violet"}[t]
}
