package chart

import (
	"html/template"
	"slices"
)

// Table is the numbers behind a picture, already formatted. The first column
// names its row; the others are numbers and stand to the right.
type Table struct {
	Columns []string
	Rows    [][]string
	Texts   []int // columns that hold text besides the first, and stand to the left
	Prose   []int // columns of whole sentences, which need room
}

// mostRows bounds a table: a reader who needs more wants the data itself.
const mostRows = 400

// HTML renders the table inside a region that scrolls sideways on a small
// screen and can be reached with the keyboard; label names that region.
func (t Table) HTML(label string) template.HTML {
	var b pen
	b.table(t, label)
	return b.html()
}

func (p *pen) table(t Table, label string) {
	p.raw(`<div class="chart-table" role="region" tabindex="0" aria-label="`)
	p.esc(label + ", numbers")
	p.raw(`"><table><thead><tr>`)
	for i, c := range t.Columns {
		if c == "" {
			p.raw(`<td></td>`) // a header without a word would be read aloud as one
			continue
		}
		p.raw(`<th scope="col"` + t.align(i) + `>`)
		p.esc(c)
		p.raw(`</th>`)
	}
	p.raw("</tr></thead><tbody>\n")
	step := stride(len(t.Rows), mostRows)
	for i := 0; i < len(t.Rows); i += step {
		p.row(t, t.Rows[i])
	}
	p.raw(`</tbody></table></div>`)
}

func (p *pen) row(t Table, cells []string) {
	p.raw(`<tr>`)
	for i, c := range cells {
		if i == 0 {
			p.raw(`<th scope="row">`)
			p.breakable(c)
			p.raw(`</th>`)
			continue
		}
		p.raw(`<td` + t.align(i) + `>`)
		p.esc(c)
		p.raw(`</td>`)
	}
	p.raw("</tr>\n")
}

func (t Table) align(column int) string {
	if column == 0 {
		return ""
	}
	switch {
	case slices.Contains(t.Prose, column):
		return ` class="prose"`
	case slices.Contains(t.Texts, column):
		return ""
	}
	return ` class="n"`
}

// stride is how many items to step over so that at most most of n are seen.
func stride(n, most int) int {
	if n <= most {
		return 1
	}
	return (n + most - 1) / most
}
