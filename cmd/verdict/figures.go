package main

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// figures is a table: its first columns stand to the left, as names do, the
// others to the right, as numbers do.
type figures struct {
	left  int // how many columns stand to the left; 0 is 1
	lines [][]string
}

func (t *figures) add(cells ...string) { t.lines = append(t.lines, cells) }

// write writes the lines, two spaces in front and between the columns.
func (t *figures) write(b *bytes.Buffer) {
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
