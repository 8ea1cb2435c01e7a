package chart

import (
	"html/template"
	"math"
	"strconv"
)

// Cell is one cell of a matrix. Its value determines the opacity of its colour.
type Cell struct {
	Value float64
	Note  string // a second, smaller line
	Tone  Tone
}

// Matrix is a chart of counts by two classifications, with one cell for each pair
// of classes.
type Matrix struct {
	Head
	Unit                  Unit
	RowTitle, ColumnTitle string
	Rows, Columns         []string
	Cells                 [][]Cell
}

// TransitionCells returns the cells of a matrix whose rows and columns are the same
// classes, the best first. A cell is blue if both classes are the same, teal if the
// column's class is better than the row's, and orange if it is worse.
func TransitionCells(counts [3][3]int64) [][]Cell {
	rows := make([][]Cell, len(counts))
	for i, row := range counts {
		for j, n := range row {
			tone := Blue
			switch {
			case j < i:
				tone = Teal
			case j > i:
				tone = Orange
			}
			rows[i] = append(rows[i], Cell{Value: float64(n), Tone: tone})
		}
	}
	return rows
}

const mostFields = 24

// SVG draws the cells. Their colours are light enough for the text to be legible
// in both themes.
func (c Matrix) SVG() template.HTML {
	rows, columns := c.Rows[:min(len(c.Rows), mostFields)], c.Columns[:min(len(c.Columns), mostFields)]
	if len(rows) == 0 || len(columns) == 0 {
		return empty(c.Head, "matrix", leastHeight)
	}
	most := 0.0
	for i := range rows {
		for j := range columns {
			most = math.Max(most, positive(c.cell(i, j).Value))
		}
	}
	left := 0.0
	for _, r := range rows {
		left = math.Max(left, breadth(clip(r, wide/3))+12)
	}
	const top, rowHeight = 56.0, 58.0
	var p pen
	p.open(c.Head, "matrix", top+float64(rowHeight*float64(len(rows))))
	p.text("soft", start, 0, top-8, clip(c.RowTitle, math.Max(left, 60)))
	p.text("soft", middle, (left+wide)/2, 16, clip(c.ColumnTitle, wide-left))
	room := (wide - left) / float64(len(columns))
	for j, name := range columns {
		p.text("", middle, left+float64(room*(float64(j)+0.5)), top-8, clip(name, room-4))
	}
	for i, name := range rows {
		y := top + float64(rowHeight*float64(i))
		p.text("", start, 0, y+rowHeight/2+4, clip(name, wide/3))
		for j := range columns {
			p.field(c, i, j, left+float64(room*float64(j)), y, room, rowHeight, most)
		}
	}
	return p.close()
}

func (p *pen) field(c Matrix, i, j int, x, y, w, h, most float64) {
	cell := c.cell(i, j)
	strength := 0.05
	if v := positive(cell.Value); v > 0 && most > 0 {
		// The square root makes small values visible next to a large one.
		strength = 0.1 + 0.35*math.Sqrt(v/most)
	}
	p.raw(
		`<rect class="fill ` + cell.Tone.class() + `" fill-opacity="` + strconv.FormatFloat(strength, 'f', 2, 64) + `"`)
	p.attr("x", x+1.5)
	p.attr("y", y+1.5)
	p.attr("width", math.Max(w-3, 1))
	p.attr("height", h-3)
	p.end("rect", c.Rows[i]+" → "+c.Columns[j]+": "+c.Unit.Format(cell.Value))
	middleY := y + h/2 + 5
	if cell.Note != "" {
		middleY -= 9
		p.text("soft small", middle, x+w/2, middleY+20, clip(cell.Note, w))
	}
	p.text("strong", middle, x+w/2, middleY, clip(c.Unit.Short(cell.Value), w))
}

func (c Matrix) cell(i, j int) Cell {
	if i >= len(c.Cells) || j >= len(c.Cells[i]) {
		return Cell{}
	}
	return c.Cells[i][j]
}

// Table returns the cells as a table.
func (c Matrix) Table() Table {
	t := Table{Columns: append([]string{c.RowTitle + " ↓ " + c.ColumnTitle + " →"}, c.Columns...)}
	for i, r := range c.Rows {
		row := []string{r}
		for j := range c.Columns {
			cell := c.cell(i, j)
			text := c.Unit.Format(cell.Value)
			if cell.Note != "" {
				text += " (" + cell.Note + ")"
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
