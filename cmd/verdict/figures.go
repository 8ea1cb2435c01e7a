package main

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// figureTable is a table. The first columns are aligned left, the others right.
type figureTable struct {
	left  int // number of columns aligned left; 0 means 1
	lines [][]string
}

func (t *figureTable) add(cells ...string) { t.lines = append(t.lines, cells) }

// write writes the lines, indented by two spaces, with two spaces between the
// columns.
func (t *figureTable) write(b *bytes.Buffer) {
	var widths []int
	for _, line := range t.lines {
		for i, cell := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range t.lines {
		var text strings.Builder
		for i, cell := range line {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			text.WriteString("  ")
			if i < max(t.left, 1) {
				text.WriteString(cell + space)
			} else {
				text.WriteString(space + cell)
			}
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
}
