package chart

import (
	"html/template"
	"slices"
)

// Table has the formatted numbers of a chart. The first column contains the
// name of the row; the other columns contain numbers and are right-aligned
// unless Texts or Prose lists them.
type Table struct {
	Columns []string
	Rows    [][]string
	Texts   []int // indexes of further columns that contain text and are left-aligned
	Prose   []int // indexes of columns that contain sentences, which need more space
}

// mostRows is the maximum number of rows in the HTML of a table. If there are
// more, only some are shown, at regular intervals.
const mostRows = 400

// HTML returns the table inside a region that scrolls horizontally on a small
// screen and can be focused with the keyboard. label is the name of the region.
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
			p.raw(`<td></td>`) // screen readers would announce an empty th as a header
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

// stride returns the step of an iteration over n items. The number of visited items is then at most the argument
// "most".
func stride(n, most int) int {
	if n <= most {
		return 1
	}
	return (n + most - 1) / most
}
