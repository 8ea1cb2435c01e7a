package chart

import (
	"html/template"
	"math"
	"strconv"
	"unicode/utf8"
)

// Tile is one region of a tile map: its position, its names and the count of each
// part.
type Tile struct {
	Column, Row int
	Label       string // a few characters, written on the tile
	Name        string // name of the region
	Values      []float64
}

// TileMap is a chart of regions, placed roughly as on a map. All tiles have the
// same size, so that a small region is as visible as a large one. Parts are ordered
// from the mildest to the most severe, and a tile has the tone of the most severe
// part whose count is not 0. The first letter of that part and the total count are
// written on the tile, because not every reader can distinguish the tones.
type TileMap struct {
	Head
	Of    string // heading of the table's first column, which contains the names of the tiles
	Parts []Part
	Tiles []Tile
}

// mostTiles is the maximum number of columns and of rows of a tile map.
const mostTiles = 24

// SVG draws the tiles.
func (c TileMap) SVG() template.HTML {
	columns, rows := 0, 0
	for _, t := range c.Tiles {
		if t.placed() {
			columns, rows = max(columns, t.Column+1), max(rows, t.Row+1)
		}
	}
	if columns == 0 {
		return empty(c.Head, "tilemap", leastHeight)
	}
	keys := make([]key, len(c.Parts))
	for i, part := range c.Parts {
		keys[i] = key{name: part.Name, tone: part.Tone}
	}
	var p, aside pen
	top := aside.legend(keys, 0)
	size := math.Min(wide/float64(columns), 60)
	left := (wide - float64(size*float64(columns))) / 2
	p.open(c.Head, "tilemap", top+float64(size*float64(rows)))
	p.legend(keys, 0)
	drawn := map[[2]int]bool{}
	for _, t := range c.Tiles {
		if at := [2]int{t.Column, t.Row}; t.placed() && !drawn[at] {
			drawn[at] = true
			p.tile(c, t, left+float64(size*float64(t.Column)), top+float64(size*float64(t.Row)), size)
		}
	}
	return p.close()
}

func (t *Tile) placed() bool {
	return t.Column >= 0 && t.Column < mostTiles && t.Row >= 0 && t.Row < mostTiles
}

func (p *pen) tile(c TileMap, t Tile, x, y, size float64) {
	total, gravest := c.sum(t)
	tip := t.Name
	class, strength := "track", 1.0
	if gravest >= 0 {
		class, strength = "fill "+c.Parts[gravest].Tone.class(), 0.4
		for i := range c.Parts {
			if n := positive(t.value(i)); n > 0 {
				tip += "; " + c.Parts[i].Name + ": " + Count.Format(n)
			}
		}
	}
	p.raw(`<rect class="` + class + `" fill-opacity="` + strconv.FormatFloat(strength, 'f', 2, 64) + `"`)
	p.attr("x", x+1.5)
	p.attr("y", y+1.5)
	p.attr("width", size-3)
	p.attr("height", size-3)
	p.end("rect", tip)
	if gravest < 0 {
		p.text("soft", middle, x+size/2, y+size/2+5, clip(t.Label, size))
		return
	}
	p.text("strong", middle, x+size/2, y+size/2-1, clip(t.Label, size))
	sign, _ := utf8.DecodeRuneInString(c.Parts[gravest].Name)
	p.text("small", middle, x+size/2, y+size/2+14, clip(string(sign)+" "+Count.Short(total), size+4))
}

// sum returns the total count of a tile and the index of its most severe part,
// which is -1 if the tile is empty.
func (c TileMap) sum(t Tile) (total float64, gravest int) {
	gravest = -1
	for i := range c.Parts {
		if n := positive(t.value(i)); n > 0 {
			total, gravest = total+n, i
		}
	}
	return total, gravest
}

func (t *Tile) value(part int) float64 {
	if part >= len(t.Values) {
		return 0
	}
	return t.Values[part]
}

// Table returns a table with one row for each tile that is not empty.
func (c TileMap) Table() Table {
	t := Table{Columns: []string{c.Of}}
	for _, part := range c.Parts {
		t.Columns = append(t.Columns, part.Name)
	}
	for _, tile := range c.Tiles {
		if _, gravest := c.sum(tile); gravest < 0 {
			continue
		}
		row := []string{tile.Label + " " + tile.Name}
		for i := range c.Parts {
			row = append(row, Count.Format(tile.value(i)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
